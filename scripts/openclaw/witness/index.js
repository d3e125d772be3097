import { appendFileSync } from 'node:fs';

/** Notes every reply that OpenClaw hands on to a chat window, behind all other plugins. */
const entry = {
  id: 'try-witness',
  name: 'Witness',
  description: 'Notes replies as they go out, for npm run try:openclaw',
  register(api) {
    const { file } = api.pluginConfig;
    api.on(
      'reply_payload_sending',
      ({ payload, kind, sessionKey }) => {
        appendFileSync(file, `${JSON.stringify({ kind, sessionKey, text: payload.text ?? '' })}\n`);
      },
      { priority: -1000 },
    );
  },
};

export { entry as default };
