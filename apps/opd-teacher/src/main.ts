import { loadSettings } from '@app/config';
import { launch, runWorker } from '@app/telemetry';
import { requireJudge } from '@app/voting';
import { OpdTeacherModule } from './opd-teacher.module';

const main = async (): Promise<void> => {
  const settings = loadSettings();
  requireJudge(settings);
  await runWorker(OpdTeacherModule.forSettings(settings), settings);
};

launch('opd-teacher', main);
