import type { CheckType } from '@muster/contract/api/checks'
import type { ReactNode } from 'react'
import { CpuFields } from './CpuFields.tsx'
import { DiskFields } from './DiskFields.tsx'
import { EventLogFields } from './EventLogFields.tsx'
import { FileFields } from './FileFields.tsx'
import { JournalFields } from './JournalFields.tsx'
import { MemoryFields } from './MemoryFields.tsx'
import { PingFields } from './PingFields.tsx'
import { ProcessFields } from './ProcessFields.tsx'
import { ScriptFields } from './ScriptFields.tsx'
import { DnsFields, HttpFields, TcpFields } from './ServerFields.tsx'
import { ServiceFields } from './ServiceFields.tsx'
import type { FieldsProps } from './fields-props.ts'

const FIELDS: Record<CheckType, (props: FieldsProps) => ReactNode> = {
  diskspace: DiskFields,
  cpuload: CpuFields,
  memory: MemoryFields,
  ping: PingFields,
  service: ServiceFields,
  script: ScriptFields,
  process: ProcessFields,
  file: FileFields,
  eventlog: EventLogFields,
  journal: JournalFields,
  http: HttpFields,
  tcp: TcpFields,
  dns: DnsFields,
}

/** The fields of a check type. */
export function CheckFields(props: FieldsProps) {
  const Fields = FIELDS[props.type]
  return <Fields {...props} />
}
