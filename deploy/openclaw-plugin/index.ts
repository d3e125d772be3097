import { connectGateway } from './src/gateway';
import type { PluginApi } from './src/host';
import { registerFeedback } from './src/feedback';
import { registerHeaders } from './src/headers';
import { SessionNames } from './src/session-names';

/** The plugin: headers for every model call, the end of sessions, ratings. */
const entry = {
  id: 'openclaw-rl',
  name: 'OpenClaw-RL',
  description: 'Tells the OpenClaw-RL gateway which session and turn a model call is of, and takes ratings of answers',
  register(api: PluginApi): void {
    const names = new SessionNames();
    const gateway = connectGateway(api);
    registerHeaders(api, names);
    registerFeedback(api, gateway, names);
  },
};

export { entry as default };
