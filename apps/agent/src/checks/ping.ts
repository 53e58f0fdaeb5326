import type { CheckKind } from './table.ts'

const MAX_OUTPUT = 4000

export const ping: CheckKind<'ping'> = {
  limitMs: () => 10_000,
  async measure({ settings }, { probes, signal }) {
    const { sent, received, ms, output } = await probes.ping(settings.ip, signal)
    return {
      check_type: 'ping',
      sent,
      // Duplicate replies can exceed the packets sent.
      received: Math.min(received, sent),
      ms: received === 0 ? null : ms,
      output: output.trim().slice(0, MAX_OUTPUT),
    }
  },
}
