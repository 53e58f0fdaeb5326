/** Which machines are recorded: those monitored as servers, all, or none. */
export type RecordedMachines = 'servers' | 'all' | 'none'

/** Which sessions of remote tools are recorded. */
export interface RecordingRules {
  record_terminals: RecordedMachines
  record_desktops: RecordedMachines
}

/** Settings of one machine, site or client; null = inherited. */
export type RecordingSettings = { [Name in keyof RecordingRules]: RecordedMachines | null }

/** Merges settings; the nearest to the machine is last and wins. `base` = the default. */
export function mergeRecordingSettings(
  base: RecordingRules,
  places: readonly RecordingSettings[],
): RecordingRules {
  const rules = { ...base }
  for (const { record_terminals, record_desktops } of places) {
    rules.record_terminals = record_terminals ?? rules.record_terminals
    rules.record_desktops = record_desktops ?? rules.record_desktops
  }
  return rules
}

/** Whether sessions on a machine with this monitoring mode are recorded. */
export function isToolRecorded(
  rules: RecordingRules,
  { tool, monitoringType }: { tool: 'terminal' | 'desktop' | 'vnc'; monitoringType: string },
): boolean {
  const which = tool === 'terminal' ? rules.record_terminals : rules.record_desktops
  return which === 'all' || (which === 'servers' && monitoringType === 'server')
}
