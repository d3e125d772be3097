import { loadSettings } from '@app/config';
import { launch, runApp } from '@app/telemetry';
import { requireJudge } from '@app/voting';
import { OpdTeacherModule } from './opd-teacher.module';

const main = async (): Promise<void> => {
  const settings = loadSettings();
  requireJudge(settings);
  const { metrics, logs } = settings;
  await runApp({
    module: OpdTeacherModule.forSettings(settings),
    host: metrics.host,
    port: metrics.port,
    logLevel: logs.level,
    logFormat: logs.format,
  });
};

launch('opd-teacher', main);
