import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { joinRaw } from '@muster/rules/agents/raw-path'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import type { FileDialogProps } from './file-dialog.ts'
import { modeLabel } from './file-rows.ts'
import { useChangeFile } from './use-change-file.ts'

const OCTAL = /^[0-7]{3,4}$/

export function RightsDialog({ agent, folder, entry, onClose }: FileDialogProps) {
  const change = useChangeFile(agent.agent_id)
  const form = useForm({
    initialValues: { mode: entry.mode.toString(8).padStart(4, '0') },
    validate: { mode: (text) => (OCTAL.test(text) ? null : 'Three or four digits from 0 to 7, as in 0644.') },
  })
  const { mode } = form.values
  return (
    <FormDialog
      title={`Rights of ${entry.name}`}
      form={form}
      save={(wish) =>
        change({
          change: 'set-mode',
          path: joinRaw(folder, entry.raw),
          mode: Number.parseInt(wish.mode, 8),
        })
      }
      onClose={onClose}
      size="sm"
    >
      <TextInput
        label="Rights"
        description={`${OCTAL.test(mode) ? modeLabel(Number.parseInt(mode, 8)) : ''} for ${entry.owner}, ${entry.group} and all others`}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('mode')}
      />
    </FormDialog>
  )
}
