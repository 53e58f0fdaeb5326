import { PERMISSION_TEXTS } from '../permission-texts.ts'
import { ALERT_FIELDS, TEMPLATE_FIELDS } from './alerting.ts'
import { COMMON_FIELDS } from './common.ts'
import { JOB_FIELDS } from './jobs-and-scripts.ts'
import { MACHINE_FIELDS } from './machines.ts'
import { MONITORING_FIELDS } from './monitoring.ts'
import { SOFTWARE_FIELDS } from './patches-and-software.ts'
import { REMOTE_FIELDS } from './remote.ts'
import { RESPONSE_FIELDS } from './responses.ts'
import { USER_FIELDS } from './users-and-settings.ts'

/**
 * What fields mean, for the API description. Beside the schemas and not in them, because those are loaded by browsers.
 * Keys are a name, `parent.name`, or `METHOD /path/ name` for a field at the top of one endpoint: the more exact one
 * counts.
 */
const TEXTS = new Map(
  [
    // First, so that the others count before it.
    RESPONSE_FIELDS,
    COMMON_FIELDS,
    MACHINE_FIELDS,
    MONITORING_FIELDS,
    SOFTWARE_FIELDS,
    ALERT_FIELDS,
    TEMPLATE_FIELDS,
    JOB_FIELDS,
    REMOTE_FIELDS,
    USER_FIELDS,
    Object.fromEntries(Object.entries(PERMISSION_TEXTS).map(([name, [, text]]) => [name, text])),
  ].flatMap((texts) => Object.entries(texts)),
)

/** A field of an endpoint: `parent` is the field that contains it, undefined at the top. */
export interface FieldRef {
  /** `POST /clients/` */
  call: string
  parent: string | undefined
  name: string
}

export function findFieldText(ref: FieldRef): string | undefined {
  return findByRef(TEXTS, ref)
}

/** The value of the most exact key. */
export function findByRef<Value>(
  values: ReadonlyMap<string, Value>,
  { call, parent, name }: FieldRef,
): Value | undefined {
  const exact = parent === undefined ? `${call} ${name}` : `${parent}.${name}`
  return values.get(exact) ?? values.get(name)
}
