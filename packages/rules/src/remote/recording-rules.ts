/** Of which machines something is recorded: of those that are monitored as servers, of all, of none. */
export type RecordedMachines = 'servers' | 'all' | 'none'

/** What is recorded of remote tools. */
export interface RecordingRules {
  record_terminals: RecordedMachines
  record_desktops: RecordedMachines
}

/** What one place says itself; null = as what stands above it. */
export type RecordingSettings = { [Name in keyof RecordingRules]: RecordedMachines | null }

/** What counts when these say something, the nearest to the machine last; `base` where none does. */
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

/** Whether a tool's windows are recorded on a machine that is monitored so. */
export function isToolRecorded(
  rules: RecordingRules,
  { tool, monitoringType }: { tool: 'terminal' | 'desktop' | 'vnc'; monitoringType: string },
): boolean {
  const which = tool === 'terminal' ? rules.record_terminals : rules.record_desktops
  return which === 'all' || (which === 'servers' && monitoringType === 'server')
}
