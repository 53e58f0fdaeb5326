import type { ServerFrame } from '@muster/contract/agent/link'
import { DEFAULT_METRICS_INTERVAL } from '@muster/contract/agent/metrics'
import type { Context } from '../context.ts'
import { readCoreSettings } from '../platform/config/core-settings.ts'

/** The metrics interval. Agents receive it when their link comes up, and all of them when the setting changes. */
export class MetricsInterval {
  seconds = DEFAULT_METRICS_INTERVAL
  #ctx: Context

  constructor(ctx: Context, sendAll: (frame: ServerFrame) => void) {
    this.#ctx = ctx
    ctx.onEvent(({ type, ids }) => {
      if (type !== 'settings.changed' || !ids.includes('metrics_interval')) return
      void this.read().then(
        () => sendAll({ type: 'settings', metrics_interval: this.seconds }),
        (error: unknown) => ctx.log.error({ err: error }, 'the metrics interval could not be read'),
      )
    })
  }

  async read(): Promise<void> {
    this.seconds = (await readCoreSettings(this.#ctx.db)).metrics_interval
  }
}
