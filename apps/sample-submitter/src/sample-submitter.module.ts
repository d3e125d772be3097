import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { Bus, BusModule } from '@app/bus';
import { Settings, SettingsModule } from '@app/config';
import { requirePools } from '@app/pools';
import { HealthModule, TelemetryModule, type ReadinessCheck } from '@app/telemetry';
import { ConsoleController } from './console/console.controller';
import { ConsoleIndex } from './console/console-index';
import { HeldOut } from './console/held-out';
import { LearningService } from './console/learning.service';
import { LiveRows } from './console/live-rows';
import { NowService } from './console/now.service';
import { TokenTexts } from './console/token-texts';
import { TurnDetailService } from './console/turn-detail.service';
import { Updates } from './console/updates';
import { Consumer } from './consumer';
import { DoorController } from './door/door.controller';
import { DoorErrorFilter } from './door/door-error.filter';
import { DoorService } from './door/door.service';
import { SampleReader } from './door/sample-reader';
import { StatsService } from './door/stats.service';
import { EraseController } from './erase/erase.controller';
import { ErasureFollower } from './erase/erasure-follower';
import { Erasures } from './erase/erasures';
import { SessionDocuments } from './erase/session-documents';
import { SessionEraser } from './erase/session-eraser';
import { StoredSessions } from './erase/stored-sessions';
import { FeedbackHandler } from './feedback/feedback.handler';
import { RatedTurns } from './feedback/rated-turns';
import { ScoresService } from './feedback/scores.service';
import { FeedbackIndex } from './follow/feedback-index';
import { SampleIndex } from './follow/sample-index';
import { StoreSize } from './follow/store-size';
import { OutcomeSweeper } from './outcome/outcome-sweeper';
import { SaidOutcomes } from './outcome/said-outcomes';
import { SessionOutcomes } from './outcome/session-outcomes';
import { TurnPlaces } from './outcome/turn-places';
import { Policy } from './policy/policy';
import { FeedbackRecorder } from './records/feedback-recorder';
import { LineWriter } from './records/line-writer';
import { RecordFiles } from './records/record-files';
import { RecordRetention } from './records/record-retention';
import { RecordSources } from './records/record-sources';
import { RecordWriter } from './records/record-writer';
import { RecordsService } from './records/records.service';
import { HalvesHandler } from './settling/halves.handler';
import { QueueBound } from './settling/queue-bound';
import { SettledPublisher } from './settling/settled-publisher';
import { Settler } from './settling/settler';
import { SettlingService } from './settling/settling.service';
import { TurnFindings } from './settling/turn-findings';
import { PolicyService } from './update/policy.service';
import { PolicyWeights } from './update/policy-weights';
import { AnswersController } from './update/answers.controller';
import { UpdateController } from './update/update.controller';
import { UpdateKeeper } from './update/update-keeper';
import { UpdateReporter } from './update/update-reporter';
import { UpdateService } from './update/update.service';

/** Nothing here can be done without the bus. */
const readinessCheck =
  (bus: Bus): ReadinessCheck =>
  () => ({
    ready: bus.isUp,
    status: bus.isUp ? 'ok' : 'unavailable',
    detail: { bus: bus.isUp ? 'up' : 'down' },
  });

/** Joins verdicts into outcomes, hands samples to trainers, keeps records, erases sessions. */
@Module({})
export class SampleSubmitterModule {
  /** @throws PoolPlanError */
  static forSettings(settings: Settings): DynamicModule {
    requirePools(settings);
    return {
      module: SampleSubmitterModule,
      imports: [
        SettingsModule.forRoot(settings),
        TelemetryModule.forApp('sample-submitter'),
        BusModule.forApp('sample-submitter'),
        HealthModule.forApp({ app: 'sample-submitter', inject: [Bus], check: readinessCheck }),
      ],
      controllers: [DoorController, UpdateController, AnswersController, EraseController, ConsoleController],
      providers: [
        { provide: APP_FILTER, useClass: DoorErrorFilter },
        {
          provide: RecordFiles,
          inject: [Settings],
          useFactory: ({ records }: Settings): RecordFiles => new RecordFiles(records.dir),
        },
        Policy,
        SampleIndex,
        FeedbackIndex,
        StoreSize,
        QueueBound,
        TurnFindings,
        SettledPublisher,
        Settler,
        TurnPlaces,
        SessionOutcomes,
        SaidOutcomes,
        OutcomeSweeper,
        SettlingService,
        HalvesHandler,
        RatedTurns,
        ScoresService,
        FeedbackHandler,
        Consumer,
        DoorService,
        SampleReader,
        StatsService,
        PolicyWeights,
        UpdateReporter,
        UpdateKeeper,
        UpdateService,
        PolicyService,
        RecordSources,
        LineWriter,
        RecordWriter,
        FeedbackRecorder,
        RecordRetention,
        RecordsService,
        StoredSessions,
        Erasures,
        SessionDocuments,
        SessionEraser,
        ErasureFollower,
        ConsoleIndex,
        TokenTexts,
        Updates,
        HeldOut,
        LearningService,
        NowService,
        TurnDetailService,
        LiveRows,
      ],
    };
  }
}
