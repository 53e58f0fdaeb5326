import { Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { createUrlAction, editUrlAction, UrlAction } from '@muster/contract/api/url-actions'
import { call } from '../../app/api/api.ts'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { ChangedMeanwhile, RecordDialog } from '../../app/dialogs/RecordDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../app/dialogs/use-dialog.ts'
import { useSaveInto } from '../../app/dialogs/use-save-into.ts'
import { urlActionsQuery } from './use-url-actions.ts'

/** A new URL action (`new`) or an existing one (`3`). Closing leads to the list. */
export function UrlActionDialog({ item }: AddressedDialogProps) {
  const { openList } = useRecordAddress('url-actions', 'url-action')
  return (
    <RecordDialog
      list={urlActionsQuery}
      item={item}
      title="URL action"
      needs="can_edit_core_settings"
      gone="This URL action does not exist any more."
      back="Show all URL actions"
      onClose={openList}
    >
      {(action, onReload) => <UrlActionForm action={action} onReload={onReload} onClose={openList} />}
    </RecordDialog>
  )
}

interface UrlActionFormProps {
  /** The edited action, as it was when the form was opened. */
  action: UrlAction | undefined
  onReload?: (() => void) | undefined
  onClose: () => void
}

const problemOf = (field: 'name' | 'pattern', value: string) =>
  UrlAction.shape[field].safeParse(value).error?.issues[0]?.message ?? null

function UrlActionForm({ action, onReload, onClose }: UrlActionFormProps) {
  const saveInto = useSaveInto(urlActionsQuery.queryKey)
  const form = useForm({
    initialValues: { name: action?.name ?? '', desc: action?.desc ?? '', pattern: action?.pattern ?? '' },
    validate: {
      name: (name) => problemOf('name', name),
      pattern: (pattern) => problemOf('pattern', pattern),
    },
    validateInputOnBlur: true,
  })
  const save = (body: typeof form.values) =>
    saveInto(async () => {
      if (action === undefined) await call(createUrlAction, { body })
      else
        await call(editUrlAction, { params: { id: action.id }, body: { ...body, modified: action.modified } })
    })
  return (
    <FormDialog
      title={action === undefined ? 'New URL action' : `Edit ${action.name}`}
      form={form}
      save={save}
      done={action === undefined ? 'URL action added.' : 'URL action saved.'}
      submitLabel={action === undefined ? 'Add URL action' : 'Save'}
      onClose={onClose}
    >
      <Stack gap="md">
        <ChangedMeanwhile what="this URL action" onReload={onReload} />
        <TextInput label="Name" maxLength={60} data-autofocus {...form.getInputProps('name')} />
        <TextInput label="Description" maxLength={255} {...form.getInputProps('desc')} />
        <TextInput
          label="URL"
          description="Variables such as {{agent.hostname}}, {{site.name}}, {{client.name}} or a custom field, {{client.Docs}}, become the values of the machine, site or client."
          placeholder="https://docs.example.org/{{client.name}}"
          maxLength={2000}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          {...form.getInputProps('pattern')}
        />
      </Stack>
    </FormDialog>
  )
}
