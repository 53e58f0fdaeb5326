import type { CheckRule } from './check-rule.ts'
import { cpuload } from './cpuload.ts'
import { diskspace } from './diskspace.ts'
import { dns } from './dns.ts'
import { eventlog } from './eventlog.ts'
import { file } from './file.ts'
import { http } from './http.ts'
import { journal } from './journal.ts'
import { memory } from './memory.ts'
import { ping } from './ping.ts'
import { process } from './process.ts'
import { script } from './script.ts'
import { service } from './service.ts'
import { tcp } from './tcp.ts'

/** The rules of every type of check. A new type is a file in this folder, and a line here. */
export const checkRules = {
  diskspace,
  cpuload,
  memory,
  ping,
  service,
  script,
  process,
  file,
  eventlog,
  journal,
  http,
  tcp,
  dns,
}

type Rules = typeof checkRules
type SettingsOf<Rule> = Rule extends CheckRule<infer Settings, infer _> ? Settings : never
type MeasuredBy<Rule> = Rule extends CheckRule<infer _, infer Measured> ? Measured : never

/** A check of any type with the settings that its verdict needs. */
export type RuledCheck = {
  [Type in keyof Rules]: { check_type: Type } & SettingsOf<Rules[Type]>
}[keyof Rules]
/** The measurement of a check of any type. */
export type RuledMeasurement = {
  [Type in keyof Rules]: { check_type: Type } & MeasuredBy<Rules[Type]>
}[keyof Rules]
