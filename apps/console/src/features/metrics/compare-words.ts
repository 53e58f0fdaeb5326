import { METRIC_UNITS } from '@muster/contract/agent/metrics'
import type { Comparison } from '@muster/contract/api/metrics'
import { checkName, seriesLabel } from '../checks/check-words.ts'
import { metricLabel, sortMetrics } from './metric-words.ts'

type Choices = Comparison['choices']

/** What a choice is called: `Processor`, `Disk space of /srv: Free space`. */
export function labelOf(what: string, choices: Choices): string {
  const choice = choices.find((one) => one.what === what)
  if (choice?.check) return `${checkName(choice.check)}: ${seriesLabel(choice.series)}`
  return what.startsWith('check:') ? 'A check' : metricLabel(what)
}

/** As a select takes them; the usual metrics stand there before the machines have said what they have. */
export function groupChoices(what: string, choices: Choices) {
  const metrics = choices.flatMap((choice) => (choice.check === null ? [{ name: choice.what }] : []))
  const names =
    metrics.length > 0 ? sortMetrics(metrics) : Object.keys(METRIC_UNITS).map((name) => ({ name }))
  const checks = choices.flatMap((choice) => (choice.check === null ? [] : [choice.what]))
  const listed = new Set([...names.map(({ name }) => name), ...checks])
  const others = listed.has(what) ? [] : [what]
  const item = (value: string) => ({ value, label: labelOf(value, choices) })
  return [
    { group: 'Of the machines', items: names.map(({ name }) => item(name)) },
    { group: 'Of their checks', items: checks.map(item) },
    { group: 'Chosen', items: others.map(item) },
  ].filter(({ items }) => items.length > 0)
}
