import { Autocomplete } from '@mantine/core'
import { formatFileSize } from '@muster/rules/text/file-size'
import { ThresholdPreview } from '../ThresholdPreview.tsx'
import { FIELD_LABELS } from '../field-labels.ts'
import classes from './Fields.module.css'
import type { FieldsProps } from './fields-props.ts'
import { Choice } from './FieldParts.tsx'
import { ThresholdFields } from './ThresholdFields.tsx'

const UNITS = [
  { value: 'percent', label: 'Percent that is free' },
  { value: 'gigabytes', label: 'Gigabytes that are free' },
  { value: 'inodes', label: 'Percent of the inodes that is free' },
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
        description={isWindows ? 'A drive, such as C:' : 'Where it is mounted, such as /'}
        placeholder={isWindows ? 'C:' : '/'}
        data={[...byName.keys()]}
        // All are offered whatever is written: there are few, and a chosen one hides no other.
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
