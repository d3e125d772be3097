import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConsoleFiles } from '../../apps/gateway/src/console/console-files';
import { CONSOLE_FILES, ConsolePageController } from '../../apps/gateway/src/console/console-page.controller';
import { OpenAiErrorFilter } from '../../apps/gateway/src/errors/openai-error.filter';
import { gatewayAdapter } from '../../apps/gateway/src/http/gateway-adapter';

/** The console's page as a gateway serves it, made of these files in the place of built ones. */
export const startConsolePage = async (
  files: Readonly<Record<string, string>>,
): Promise<{ readonly url: string; close(): Promise<void> }> => {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  mkdirSync(join(folder, 'assets'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const testing = await Test.createTestingModule({
    controllers: [ConsolePageController],
    providers: [{ provide: CONSOLE_FILES, useValue: readConsoleFiles(folder) }],
  }).compile();
  rmSync(folder, { recursive: true });
  const app = testing.createNestApplication<NestFastifyApplication>(gatewayAdapter(), { logger: false });
  app.useGlobalFilters(new OpenAiErrorFilter(1));
  await app.listen(0, '127.0.0.1');
  return { url: await app.getUrl(), close: () => app.close() };
};
