import '@mantine/core/styles/NumberInput.css'
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { MultiSelect, NumberInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { JobActionType } from '@muster/contract/fleet-jobs/job-draft'
import type { RoleForm } from './role-form.ts'

const LABELS: Partial<Record<JobActionType, string>> = {
  command: 'Send a command',
  script: 'Run a script',
  power: 'Restart, shut down or wake',
  service: 'Change a service',
  maintenance: 'Switch maintenance mode',
  refresh: 'Refresh facts',
  move: 'Move to a site',
  custom_field: 'Set a custom field',
  tags: 'Change tags',
  approve_patches: 'Approve or ignore patches',
  registry: 'Set or delete a registry value',
  file: 'Write a text file',
  undo: 'Undo a job',
}

/** `install_patches` becomes `Install patches` where it has no other name. */
export function jobActionLabel(type: JobActionType): string {
  const text = type.replaceAll('_', ' ')
  return LABELS[type] ?? text.charAt(0).toUpperCase() + text.slice(1)
}

/** Which jobs of the role's users a second person must approve. */
export function JobApprovalFields({ form }: { form: UseFormReturnType<RoleForm> }) {
  return (
    <>
      <NumberInput
        label="Require approval for jobs on more than"
        description="Another person, whose role does not require it, approves the job before it runs."
        placeholder="Any number is allowed"
        suffix=" machines"
        min={0}
        max={1_000_000}
        allowDecimal={false}
        {...form.getInputProps('approve_jobs_over')}
      />
      <MultiSelect
        label="Always require approval for"
        placeholder={form.values.approve_job_actions.length === 0 ? 'No action' : ''}
        data={JobActionType.options.map((value) => ({ value, label: jobActionLabel(value) }))}
        searchable
        clearable
        nothingFoundMessage="No action matches."
        {...form.getInputProps('approve_job_actions')}
      />
    </>
  )
}
