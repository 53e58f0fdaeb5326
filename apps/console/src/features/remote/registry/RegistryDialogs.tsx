import {
  createRegistryKey,
  createRegistryValue,
  deleteRegistryKey,
  deleteRegistryValue,
  listRegistry,
  modifyRegistryValue,
  readRegistryValue,
  renameRegistryKey,
  renameRegistryValue,
} from '@muster/contract/api/registry'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { RemoveDialog } from '../../../app/dialogs/RemoveDialog.tsx'
import { call, query } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { StateDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { bytesOf, formOf, kindOf, NEW_TYPES, type ValueForm, WRONG } from './value-form.ts'

interface RegistryDialogsProps {
  agentId: string
  path: string
  open: OpenDialog
  onPath: (path: string) => void
  onClose: () => void
}

/** All changes of the registry ask first. */
export function RegistryDialogs({ agentId, path, open, onPath, onClose }: RegistryDialogsProps) {
  const queryClient = useQueryClient()
  const stale = queryKey(listRegistry)
  const params = { agent_id: agentId }
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('\\')))
  const refresh = () => queryClient.invalidateQueries({ queryKey: stale })
  switch (open.what) {
    case 'new-key':
      return (
        <NameDialog
          title={`New key below ${path}`}
          name=""
          check={checkKeyName}
          save={async (name) => {
            await call(createRegistryKey, { params, body: { path: `${path}\\${name}` } })
            await refresh()
          }}
          onClose={onClose}
        />
      )
    case 'rename-key':
      return (
        <NameDialog
          title={`Rename ${path}`}
          name={path.slice(parent.length + 1)}
          check={checkKeyName}
          save={async (name) => {
            await call(renameRegistryKey, { params, body: { path, new_name: name } })
            onPath(`${parent}\\${name}`)
            await refresh()
          }}
          onClose={onClose}
        />
      )
    case 'delete-key':
      return (
        <RemoveDialog
          title="Delete this key?"
          message={`Deletes ${path} with all its keys and values. This cannot be undone.`}
          remove={async () => {
            await call(deleteRegistryKey, { params, query: { path } })
            onPath(parent)
          }}
          done="Key deleted."
          stale={stale}
          onClose={onClose}
        />
      )
    case 'new-value':
      return <ValueDialog agentId={agentId} path={path} onDone={() => void refresh()} onClose={onClose} />
    case 'edit-value':
      return (
        <ValueDialog
          agentId={agentId}
          path={path}
          name={open.name}
          onDone={() => void refresh()}
          onClose={onClose}
        />
      )
    case 'rename-value':
      return (
        <NameDialog
          title={`Rename ${open.name === '' ? 'the default value' : open.name}`}
          name={open.name}
          check={(name) => (name === '' ? 'Enter a name. The default value has none.' : null)}
          save={async (name) => {
            await call(renameRegistryValue, { params, body: { path, old_name: open.name, new_name: name } })
            await refresh()
          }}
          onClose={onClose}
        />
      )
    case 'delete-value':
      return (
        <RemoveDialog
          title="Delete this value?"
          message={`Deletes ${open.name === '' ? 'the default value' : open.name} of ${path}.`}
          remove={() => call(deleteRegistryValue, { params, query: { path, name: open.name } })}
          done="Value deleted."
          stale={stale}
          onClose={onClose}
        />
      )
  }
}

interface NameDialogProps {
  title: string
  name: string
  /** The error of a name; null = valid. */
  check: (name: string) => string | null
  save: (name: string) => Promise<unknown>
  onClose: () => void
}

/** Asks for the name of a key or a value. */
function NameDialog({ title, name, check, save, onClose }: NameDialogProps) {
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

const checkKeyName = (name: string) =>
  name === '' ? 'Enter a name.' : name.includes('\\') ? 'Do not use backslashes.' : null

interface ValueDialogProps {
  agentId: string
  path: string
  /** Absent = a new value. */
  name?: string | undefined
  onDone: () => void
  onClose: () => void
}

/** Adds or edits a value, which is first read in full. */
function ValueDialog(props: ValueDialogProps) {
  const { agentId, path, name } = props
  const { data, error, refetch } = useQuery({
    ...query(readRegistryValue, { params: { agent_id: agentId }, query: { path, name: name ?? '' } }),
    enabled: name !== undefined,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  if (name === undefined)
    return <EditValue {...props} isNew value={{ name: '', type: 'REG_SZ', kind: 'text', text: '' }} />
  const title = titleOf(name)
  if (data === undefined)
    return <StateDialog title={title} error={error} onRetry={() => void refetch()} onClose={props.onClose} />
  if (data.bytes === null)
    return (
      <Dialog title={title} onClose={props.onClose}>
        Too large to edit: {data.size} bytes.
      </Dialog>
    )
  return <EditValue {...props} isNew={false} value={formOf({ name, type: data.type, bytes: data.bytes })} />
}

const titleOf = (name: string) => (name === '' ? 'Default value' : `Value ${name}`)

function EditValue(props: ValueDialogProps & { value: ValueForm; isNew: boolean }) {
  const { agentId, path, value, isNew, onDone, onClose } = props
  const form = useForm<ValueForm>({
    initialValues: value,
    validate: { text: (_, values) => (bytesOf(values) === undefined ? WRONG[values.kind] : null) },
  })
  const { type, kind, text } = form.values
  const save = async (values: ValueForm) => {
    const endpoint = isNew ? createRegistryValue : modifyRegistryValue
    const body = { path, name: values.name, type: values.type, bytes: bytesOf(values) ?? '' }
    await call(endpoint, { params: { agent_id: agentId }, body })
    onDone()
  }
  const problem = bytesOf(form.values) === undefined ? WRONG[kind] : form.errors['text']
  const field = { ...form.getInputProps('text'), error: problem, spellCheck: false }
  return (
    <FormDialog
      title={isNew ? 'New value' : titleOf(value.name)}
      form={form}
      save={save}
      done="Saved."
      mayStayUnchanged={isNew}
      onClose={onClose}
    >
      <Stack gap="sm">
        <TextInput
          label="Name"
          description={isNew ? 'Empty = the default value of the key' : undefined}
          disabled={!isNew}
          autoComplete="off"
          data-autofocus={isNew || undefined}
          {...form.getInputProps('name')}
        />
        <Select
          label="Type"
          data={isNew ? NEW_TYPES : [type]}
          value={type}
          disabled={!isNew}
          allowDeselect={false}
          onChange={(next) => form.setValues({ type: next ?? type, kind: kindOf(next ?? type), text: '' })}
        />
        {kind === 'text' && <TextInput label="Data" data-autofocus={!isNew || undefined} {...field} />}
        {kind === 'number' && (
          <TextInput label="Data" description={`Decimal, or hexadecimal after 0x${both(text)}`} {...field} />
        )}
        {kind === 'lines' && (
          <Textarea
            label="Data"
            description="One text per line"
            autosize
            minRows={4}
            maxRows={16}
            {...field}
          />
        )}
        {kind === 'bytes' && (
          <Textarea
            label="Data"
            description="Hexadecimal bytes"
            autosize
            minRows={3}
            maxRows={16}
            {...field}
          />
        )}
      </Stack>
    </FormDialog>
  )
}

/** The same number in the other notation. */
function both(text: string): string {
  if (!/^\s*(\d+|0x[0-9a-f]+)\s*$/i.test(text)) return ''
  const number = BigInt(text.trim())
  return `: ${number}, 0x${number.toString(16)}`
}

/** The open dialog, about the shown key or one of its values. */
export type OpenDialog =
  | { what: 'new-key' | 'rename-key' | 'delete-key' | 'new-value' }
  | { what: 'edit-value' | 'rename-value' | 'delete-value'; name: string }
