import { Checkbox, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../app/api/queries.ts'
import { fieldsQuery, groupFields } from '../custom-fields/field-form.ts'
import type { JobForm } from './job-form.ts'

interface ScriptOutputFieldsProps {
  form: Pick<JobForm, 'saveAsNote' | 'saveToField' | 'saveAllOutput'>
  onChange: (values: Partial<ScriptOutputFieldsProps['form']>) => void
}

/** Where the output of a script goes, besides the job. */
export function ScriptOutputFields({ form, onChange }: ScriptOutputFieldsProps) {
  const mayView = useMay('can_view_customfields')
  const { data: fields = [] } = useQuery({ ...fieldsQuery, enabled: mayView })
  const groups = groupFields(fields)
  return (
    <>
      <Checkbox
        label="Save the output as a note of each machine"
        checked={form.saveAsNote}
        onChange={({ currentTarget }) => onChange({ saveAsNote: currentTarget.checked })}
      />
      {groups.length > 0 && (
        <Select
          label="Store result in custom field"
          description="Not if the script fails or prints to stderr"
          placeholder="None"
          data={groups}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'Clear custom field' }}
          nothingFoundMessage="No matching custom field"
          value={form.saveToField}
          onChange={(saveToField) => onChange({ saveToField })}
        />
      )}
      {form.saveToField !== null && (
        <Checkbox
          label="Store the whole output instead of the last line"
          checked={form.saveAllOutput}
          onChange={({ currentTarget }) => onChange({ saveAllOutput: currentTarget.checked })}
        />
      )}
    </>
  )
}
