import { launch } from '@app/telemetry';
import { CHECKS } from './checks';
import { examine } from './examine';
import { HELP, readOptions } from './options';
import { behindLines, reportJson, resultLines, summaryLine } from './report/report';
import { beginVisit, endVisit } from './visit';

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const main = async (): Promise<void> => {
  const options = readOptions(process.argv.slice(2));
  if (options === null) {
    say(HELP);
    return;
  }
  const visit = beginVisit(options, process.env);
  try {
    const results = await examine(CHECKS, visit, (result) => {
      if (!options.json && result.behind === undefined) say(resultLines(result));
    });
    say(options.json ? reportJson(results) : [...behindLines(results), '', summaryLine(results)].join('\n'));
    process.exitCode = results.some(({ status }) => status === 'failed') ? 1 : 0;
  } finally {
    await endVisit(visit);
  }
};

launch('doctor', main);
