import type { Log } from '../log/log.ts'
import type { Bus } from './bus.ts'
import { InProcessBus } from './in-process-bus.ts'
import { connectNatsBus } from './nats-bus.ts'

/** The bus that `url` names: NATS, or the one inside this process when it is absent. */
export async function openBus(
  url: string | undefined,
  log: Pick<Log, 'error' | 'warn' | 'info'>,
): Promise<Bus> {
  return url === undefined ? new InProcessBus(log) : connectNatsBus(url, log)
}
