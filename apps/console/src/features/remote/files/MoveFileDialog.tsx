import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { joinRaw, rawOfText, showRaw } from '@muster/rules/agents/raw-path'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import type { FileDialogProps } from './file-dialog.ts'
import { checkName } from './file-rows.ts'
import { useChangeFile } from './use-change-file.ts'

/** Another name, another folder, or both. What is left as it is keeps its bytes, also where they are no text. */
export function MoveFileDialog({ agent, folder, entry, onClose }: FileDialogProps) {
  const change = useChangeFile(agent.agent_id)
  const shownFolder = showRaw(folder)
  const form = useForm({
    initialValues: { name: entry.name, folder: shownFolder },
    validate: {
      name: checkName,
      folder: (text) => (text.startsWith('/') ? null : 'A folder begins with "/".'),
    },
  })
  return (
    <FormDialog
      title={`Rename or move ${entry.name}`}
      form={form}
      save={(wish) => {
        const name = wish.name === entry.name ? entry.raw : rawOfText(wish.name)
        const into = wish.folder === shownFolder ? folder : rawOfText(wish.folder)
        return change({ change: 'move', path: joinRaw(folder, entry.raw), to: joinRaw(into, name) })
      }}
      onClose={onClose}
      submitLabel="Move"
    >
      <TextInput label="Name" autoComplete="off" data-autofocus {...form.getInputProps('name')} />
      <TextInput mt="sm" label="Folder" autoComplete="off" {...form.getInputProps('folder')} />
    </FormDialog>
  )
}
