import '@mantine/core/styles/SimpleGrid.css'
import { EVERY_DISK } from '@muster/rules/checks/every-disk'
import type { CheckType } from '@muster/contract/api/checks'
import type { ReactNode } from 'react'
import { Autocomplete, SimpleGrid, TextInput } from '@mantine/core'
import { formatFileSize } from '@muster/rules/text/units'
import { ThresholdPreview } from '../ThresholdPreview.tsx'
import { FIELD_LABELS } from '../field-labels.ts'
import { EventLogFields, JournalFields } from './EventLogFields.tsx'
import { ProcessFields } from './ProcessFields.tsx'
import { ScriptFields } from './ScriptFields.tsx'
import { DnsFields, HttpFields, TcpFields } from './ServerFields.tsx'
import { ServiceFields } from './ServiceFields.tsx'
import { Choice, type FieldsProps, MachineText, SeverityChoice, WholeNumber } from './FieldParts.tsx'
import { ThresholdFields } from './ThresholdFields.tsx'
import classes from './Fields.module.css'

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

function CpuFields(props: FieldsProps) {
  return (
    <>
      <ThresholdFields {...props} unit="%" reverse={false} autoFocus />
      <ThresholdPreview {...props} />
    </>
  )
}

function PingFields({ form }: FieldsProps) {
  return (
    <>
      <TextInput label={FIELD_LABELS.name} maxLength={255} data-autofocus {...form.getInputProps('name')} />
      <MachineText form={form} name="ip" placeholder="192.0.2.1" />
      <SeverityChoice form={form} />
    </>
  )
}

const KINDS = [
  { value: 'memory', label: 'Memory in use' },
  { value: 'swap', label: 'Swap in use' },
]

function MemoryFields(props: FieldsProps) {
  return (
    <>
      <Choice form={props.form} name="memory_kind" choices={KINDS} />
      <ThresholdFields {...props} unit="%" reverse={false} autoFocus />
      <ThresholdPreview {...props} />
    </>
  )
}

const EXPECTATIONS = [
  { value: 'exists', label: 'File exists' },
  { value: 'missing', label: 'File does not exist' },
]

function FileFields({ agent, form }: FieldsProps) {
  return (
    <>
      <MachineText
        form={form}
        name="path"
        placeholder={agent.plat === 'windows' ? 'C:\\Backup\\last.log' : '/var/backups/last.log'}
        autoFocus
      />
      <Choice form={form} name="expect" choices={EXPECTATIONS} />
      {form.values.expect === 'exists' && (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <WholeNumber
            form={form}
            name="max_age_minutes"
            description="Since the last change"
            placeholder="Any"
            suffix=" min"
          />
          <WholeNumber
            form={form}
            name="max_size_mb"
            description="Of the file"
            placeholder="Any"
            suffix=" MB"
          />
        </SimpleGrid>
      )}
      <SeverityChoice form={form} />
    </>
  )
}

const UNITS = [
  { value: 'percent', label: 'Free space in percent' },
  { value: 'gigabytes', label: 'Free space in gigabytes' },
  { value: 'inodes', label: 'Free inodes in percent' },
]

function DiskFields(props: FieldsProps) {
  const { agent, form } = props
  const disks = agent.facts?.disks ?? []
  const byName = new Map(disks.map((disk) => [disk.mount || disk.device, disk]))
  const isWindows = agent.plat === 'windows'
  return (
    <>
      <Autocomplete
        label={FIELD_LABELS.disk}
        description={`${isWindows ? 'Drive, such as C:' : 'Mount point, such as /'}; * = every fixed disk`}
        placeholder={isWindows ? 'C:' : '/'}
        data={[EVERY_DISK, ...byName.keys()]}
        // All disks are offered whatever is typed: there are few, and a selected one hides no other.
        filter={({ options }) => options}
        renderOption={({ option: { value } }) => {
          const disk = byName.get(value)
          return (
            <div className={classes.option}>
              <span className="mono">{value}</span>
              <span className="dim small">
                {value === EVERY_DISK && 'Every fixed disk'}
                {disk && `${formatFileSize(disk.free)} free of ${formatFileSize(disk.total)}`}
              </span>
            </div>
          )
        }}
        classNames={{ input: 'mono' }}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('disk')}
      />
      <Choice form={form} name="threshold_unit" choices={UNITS} />
      <ThresholdFields {...props} unit={form.values.threshold_unit === 'gigabytes' ? 'GB' : '%'} reverse />
      <ThresholdPreview {...props} />
    </>
  )
}
