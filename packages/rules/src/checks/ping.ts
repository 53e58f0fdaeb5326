import { fail, firstLine, pass, round, type Severity } from './judgement.ts'
import { answerTime, percent } from './series-value.ts'
import type { CheckRule } from './check-rule.ts'

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
    ...answerTime(ms),
    percent('loss_percent', sent === 0 ? 1 : (sent - received) / sent),
  ],
}
