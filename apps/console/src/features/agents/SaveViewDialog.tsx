import { Checkbox, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { createView, editView, listViews, type MachineView } from '@muster/contract/api/views'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'

interface SaveViewDialogProps {
  /** The view to rename or share; undefined = a new one. */
  view: MachineView | undefined
  content: Pick<MachineView, 'search' | 'sort' | 'columns'>
  onSaved: (view: MachineView) => void
  onClose: () => void
}

interface ViewForm extends Record<string, unknown> {
  name: string
  shared: boolean
}

/** Name of a view, and whether others see it. */
export function SaveViewDialog({ view, content, onSaved, onClose }: SaveViewDialogProps) {
  const queryClient = useQueryClient()
  const form = useForm<ViewForm>({
    initialValues: { name: view?.name ?? '', shared: view?.shared ?? false },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name.' : null) },
  })
  const save = async (body: ViewForm) => {
    const saved =
      view === undefined
        ? await call(createView, { body: { ...content, ...body } })
        : await call(editView, { params: { id: view.id }, body: { ...body, modified: view.modified } })
    await queryClient.invalidateQueries({ queryKey: queryKey(listViews) })
    onSaved(saved)
  }
  return (
    <FormDialog
      title={view === undefined ? 'Save view' : `Edit ${view.name}`}
      form={form}
      save={save}
      done={`${form.values.name.trim()} saved.`}
      onClose={onClose}
    >
      <Stack gap="md">
        <TextInput label="Name" maxLength={60} data-autofocus {...form.getInputProps('name')} />
        <Checkbox
          label="Share with all users"
          description="They see the search of the view, and the machines of their own role."
          {...form.getInputProps('shared', { type: 'checkbox' })}
        />
      </Stack>
    </FormDialog>
  )
}
