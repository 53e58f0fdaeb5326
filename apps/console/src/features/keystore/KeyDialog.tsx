import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import '@mantine/core/styles/Radio.css'
import { MultiSelect, Radio, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { createKey, editKey, type KeyStoreEntry, listKeyStore } from '@muster/contract/api/keystore'
import { useQuery } from '@tanstack/react-query'
import { ChangedMeanwhile, RecordDialog } from '../../app/dialogs/RecordDialog.tsx'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { call, query } from '../../app/api/api.ts'
import { type AddressedDialogProps, useRecordAddress } from '../../app/dialogs/use-dialog.ts'
import { useMay } from '../../app/api/queries.ts'
import { useSaveInto } from '../../app/dialogs/use-save-into.ts'
import { rolesQuery } from '../users/roles/role-form.ts'

/** A new key (`new`) or an existing one (`3`). Closing leads to the store. */
export function KeyDialog({ item }: AddressedDialogProps) {
  const { openList } = useRecordAddress('keystore', 'key')
  return (
    <RecordDialog
      list={keyStoreQuery}
      item={item}
      title="Key"
      needs="can_edit_global_keystore"
      gone="This key does not exist any more."
      back="Show the key store"
      onClose={openList}
    >
      {(entry, onReload) => <KeyForm entry={entry} onReload={onReload} onClose={openList} />}
    </RecordDialog>
  )
}

type KeyValues = {
  name: string
  value: string
  use: 'all' | 'some'
  /** Ids as texts. */
  roles: string[]
}

interface KeyFormProps {
  /** The edited key, as it was when the form was opened. */
  entry: KeyStoreEntry | undefined
  /** After a conflict: restarts the form with the saved values. */
  onReload?: (() => void) | undefined
  onClose: () => void
}

function KeyForm({ entry, onReload, onClose }: KeyFormProps) {
  const saveInto = useSaveInto(keyStoreQuery.queryKey)
  const mayListRoles = useMay('can_list_accounts')
  const { data: roles = [] } = useQuery({ ...rolesQuery, enabled: mayListRoles })
  const form = useForm<KeyValues>({
    initialValues: {
      name: entry?.name ?? '',
      value: '',
      use: (entry?.roles ?? null) === null ? 'all' : 'some',
      roles: (entry?.roles ?? []).map(String),
    },
    validate: {
      name: checkKeyName,
      value: (value) => (value === '' && entry === undefined ? 'Enter a value.' : null),
    },
    validateInputOnBlur: true,
  })
  const save = async ({ name, value, use, roles: chosen }: KeyValues) => {
    const shared = { roles: use === 'all' ? null : chosen.map(Number) }
    await saveInto(async () => {
      if (entry === undefined) await call(createKey, { body: { name, value, ...shared } })
      else {
        const body = { name, modified: entry.modified, ...shared, ...(value === '' ? {} : { value }) }
        await call(editKey, { params: { id: entry.id }, body })
      }
    })
  }
  return (
    <FormDialog
      title={entry === undefined ? 'New key' : `Edit ${entry.name}`}
      form={form}
      save={save}
      done={entry === undefined ? 'Key added.' : 'Key saved.'}
      submitLabel={entry === undefined ? 'Add key' : 'Save'}
      onClose={onClose}
    >
      <Stack gap="md">
        <ChangedMeanwhile what="this key" onReload={onReload} />
        <TextInput
          label="Name"
          description="Scripts use {{global.name}} in arguments and variables."
          maxLength={100}
          spellCheck={false}
          data-autofocus={entry === undefined || undefined}
          {...form.getInputProps('name')}
        />
        <Textarea
          label="Value"
          description={
            <>
              {entry === undefined
                ? 'The stored value is never shown again.'
                : 'A value is stored and hidden. Leave empty to keep it.'}{' '}
              Masked in script output, also by lines and in JSON, addresses, HTML and Base64 if it has 8 or
              more characters. Encrypted, compressed or otherwise changed, it is not recognized.
            </>
          }
          placeholder={entry === undefined ? undefined : 'Type to replace the value'}
          classNames={{ input: 'mono' }}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={100_000}
          spellCheck={false}
          autoComplete="off"
          data-autofocus={entry !== undefined || undefined}
          {...form.getInputProps('value')}
        />
        <Radio.Group
          label="Allowed roles"
          description="Superusers may use every key. Tasks, checks and policies use their author's role."
          {...form.getInputProps('use')}
        >
          <Stack gap="xs" mt={4}>
            <Radio value="all" label="All roles that can run scripts" disabled={!mayListRoles} />
            <Radio value="some" label="Selected roles" disabled={!mayListRoles} />
          </Stack>
        </Radio.Group>
        {form.values.use === 'some' && (
          <MultiSelect
            label="Selected roles"
            placeholder={form.values.roles.length === 0 ? 'None: superusers only' : ''}
            description={mayListRoles ? undefined : 'Your role does not allow you to see roles.'}
            disabled={!mayListRoles}
            data={roles.map(({ id, name }) => ({ value: `${id}`, label: name }))}
            searchable
            nothingFoundMessage="No matching role"
            {...form.getInputProps('roles')}
          />
        )}
      </Stack>
    </FormDialog>
  )
}

function checkKeyName(name: string): string | null {
  if (name.trim() === '') return 'A name is needed.'
  return /[{}]/.test(name) ? 'Do not use braces: scripts write {{global.name}}.' : null
}

export const keyStoreQuery = query(listKeyStore, {})
