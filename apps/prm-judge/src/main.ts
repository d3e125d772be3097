import { loadSettings } from '@app/config';
import { launch, runApp } from '@app/telemetry';
import { requireJudge } from '@app/voting';
import { PrmJudgeModule } from './prm-judge.module';

const main = async (): Promise<void> => {
  const settings = loadSettings();
  requireJudge(settings);
  const { metrics, logs } = settings;
  await runApp({
    module: PrmJudgeModule.forSettings(settings),
    host: metrics.host,
    port: metrics.port,
    logLevel: logs.level,
    logFormat: logs.format,
  });
};

launch('prm-judge', main);
