import type { Log } from '../log/log.ts'
import type { Bus } from './bus.ts'
import { InProcessBus } from './in-process-bus.ts'
import { connectNatsBus } from './nats-bus.ts'

/** Opens NATS at `url`, or the in-process bus without one. `key`: see connectNatsBus. */
export async function openBus(
  url: string | undefined,
  log: Pick<Log, 'error' | 'warn' | 'info'>,
  key: string,
): Promise<Bus> {
  return url === undefined ? new InProcessBus(log) : connectNatsBus(url, log, key)
}
