// Loaded before a service: if the supervisor is gone, however it went, the service ends as well.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
