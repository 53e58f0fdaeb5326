import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'

interface NameDialogProps {
  title: string
  name: string
  /** Why a name is none; null = it is one. */
  check: (name: string) => string | null
  save: (name: string) => Promise<unknown>
  onClose: () => void
}

/** Asks for the name of a key or a value. */
export function NameDialog({ title, name, check, save, onClose }: NameDialogProps) {
  const form = useForm({ initialValues: { name }, validate: { name: check } })
  return (
    <FormDialog
      title={title}
      form={form}
      save={(values) => save(values.name)}
      done="Done."
      size="sm"
      onClose={onClose}
    >
      <TextInput
        label="Name"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('name')}
        error={form.values.name === name ? undefined : check(form.values.name)}
      />
    </FormDialog>
  )
}

export const checkKeyName = (name: string) =>
  name === '' ? 'A key has a name.' : name.includes('\\') ? 'A name holds no backslash.' : null
