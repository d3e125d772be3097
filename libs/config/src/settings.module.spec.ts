import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { loadSettings } from './load-settings';
import { Settings } from './settings';
import { SettingsModule } from './settings.module';

@Injectable()
class NeedsSettings {
  constructor(readonly settings: Settings) {}
}

test('gives the settings to whoever asks for them', async () => {
  const settings = loadSettings({ PRM_M: '5' }, () => null);
  const app = await Test.createTestingModule({
    imports: [SettingsModule.forRoot(settings)],
    providers: [NeedsSettings],
  }).compile();
  expect(app.get(NeedsSettings).settings).toBe(settings);
});
