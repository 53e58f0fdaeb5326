import { Autocomplete } from '@mantine/core'
import { formatFileSize } from '@muster/rules/text/units'
import { ThresholdPreview } from '../ThresholdPreview.tsx'
import { FIELD_LABELS } from '../field-labels.ts'
import classes from './Fields.module.css'
import type { FieldsProps } from './fields-props.ts'
import { Choice } from './FieldParts.tsx'
import { ThresholdFields } from './ThresholdFields.tsx'

const UNITS = [
  { value: 'percent', label: 'Free space in percent' },
  { value: 'gigabytes', label: 'Free space in gigabytes' },
  { value: 'inodes', label: 'Free inodes in percent' },
]

export function DiskFields(props: FieldsProps) {
  const { agent, form } = props
  const disks = agent.facts?.disks ?? []
  const byName = new Map(disks.map((disk) => [disk.mount || disk.device, disk]))
  const isWindows = agent.plat === 'windows'
  return (
    <>
      <Autocomplete
        label={FIELD_LABELS.disk}
        description={isWindows ? 'Drive, such as C:' : 'Mount point, such as /'}
        placeholder={isWindows ? 'C:' : '/'}
        data={[...byName.keys()]}
        // All disks are offered whatever is typed: there are few, and a selected one hides no other.
        filter={({ options }) => options}
        renderOption={({ option: { value } }) => {
          const disk = byName.get(value)
          return (
            <div className={classes.option}>
              <span className="mono">{value}</span>
              <span className="dim small">
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
