import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { joinRaw, rawOfText, showRaw } from '@muster/rules/agents/raw-path'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import type { FileDialogProps } from './file-dialog.ts'
import { checkName } from './file-rows.ts'
import { useChangeFile } from './use-change-file.ts'

export function NewFolderDialog({ agent, folder, onClose }: Omit<FileDialogProps, 'entry'>) {
  const change = useChangeFile(agent.agent_id)
  const form = useForm({ initialValues: { name: '' }, validate: { name: checkName } })
  return (
    <FormDialog
      title={`New folder in ${showRaw(folder)}`}
      form={form}
      save={({ name }) => change({ change: 'make-folder', path: joinRaw(folder, rawOfText(name)) })}
      onClose={onClose}
      submitLabel="Make"
      size="sm"
    >
      <TextInput label="Name" autoComplete="off" data-autofocus {...form.getInputProps('name')} />
    </FormDialog>
  )
}
