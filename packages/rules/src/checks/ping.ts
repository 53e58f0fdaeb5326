import {
  responseTime,
  type CheckRule,
  fail,
  firstLine,
  pass,
  percent,
  round,
  type Severity,
} from './judgement.ts'

interface Echoes {
  sent: number
  received: number
  /** On average. */
  ms: number | null
  output?: string
}

export const ping: CheckRule<{ alert_severity: Severity }, Echoes> = {
  judge(check, { sent, received, ms, output = '' }) {
    if (sent === 0) return fail(check.alert_severity, firstLine(output) ?? 'Failed to send packets.')
    const time = ms === null ? '' : `, ${round(ms)} ms on average`
    const info = `${received} of ${sent} packets received${time}`
    return received < sent ? fail(check.alert_severity, info) : pass(info)
  },
  series: ({ sent, received, ms }) => [
    ...responseTime(ms),
    percent('loss_percent', sent === 0 ? 1 : (sent - received) / sent),
  ],
}
