import { Bus } from '@app/bus';
import { loadSettings } from '@app/config';
import { launch } from '@app/telemetry';
import { importBatches } from './import/import-batches';

/** Puts a folder of batches into an empty store: `npm run trainer:import -- FOLDER`. */
const main = async (): Promise<void> => {
  const [dir] = process.argv.slice(2);
  const { nats, trainer } = loadSettings();
  const bus = new Bus({ app: 'trainer-import', url: nats.url, storeGb: nats.storeGb, replicas: nats.replicas });
  try {
    const count = await importBatches(bus, dir ?? trainer.dir, Date.now);
    process.stdout.write(`${count} samples are in the store and can be leased\n`);
  } finally {
    await bus.close();
  }
};

launch('trainer-import', main);
