import { loadSettings } from '@app/config';
import { launch, runWorker } from '@app/telemetry';
import { requireJudge } from '@app/voting';
import { PrmJudgeModule } from './prm-judge.module';

const main = async (): Promise<void> => {
  const settings = loadSettings();
  requireJudge(settings);
  await runWorker(PrmJudgeModule.forSettings(settings), settings);
};

launch('prm-judge', main);
