import { Module, type DynamicModule } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { loadSettings } from './load-settings';
import { Settings } from './settings';

/** Gives every module of an app the injectable `Settings`: `imports: [SettingsModule.forRoot()]`. */
@Module({})
export class SettingsModule {
  /**
   * @param settings those to give; without them the file and the environment are read
   * @throws SettingsError
   */
  static forRoot(settings: Settings = loadSettings()): DynamicModule {
    return {
      module: SettingsModule,
      global: true,
      imports: [
        ConfigModule.forRoot({
          ignoreEnvFile: true,
          validatePredefined: false,
          skipProcessEnv: true,
          load: [() => ({ settings })],
        }),
      ],
      providers: [
        {
          provide: Settings,
          inject: [ConfigService],
          useFactory: (config: ConfigService): Settings => config.getOrThrow<Settings>('settings'),
        },
      ],
      exports: [Settings],
    };
  }
}
