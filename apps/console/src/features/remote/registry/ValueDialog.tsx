import { Select, Stack, TextInput, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { createRegistryValue, modifyRegistryValue, readRegistryValue } from '@muster/contract/api/registry'
import { useQuery } from '@tanstack/react-query'
import { StateDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { call, query } from '../../../app/api/api.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { bytesOf, formOf, kindOf, NEW_TYPES, type ValueForm, WRONG } from './value-form.ts'

interface ValueDialogProps {
  agentId: string
  path: string
  /** Absent = a new one. */
  name?: string | undefined
  onDone: () => void
  onClose: () => void
}

/** A value is added, or written anew; it is read as a whole first. */
export function ValueDialog(props: ValueDialogProps) {
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
        It has {data.size} bytes, too many to be edited here.
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
          description={isNew ? 'Empty is the default value of the key.' : undefined}
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
          <Textarea label="Data" description="One text a line" autosize minRows={4} maxRows={16} {...field} />
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

/** The number in the other writing, too. */
function both(text: string): string {
  if (!/^\s*(\d+|0x[0-9a-f]+)\s*$/i.test(text)) return ''
  const number = BigInt(text.trim())
  return `: ${number}, 0x${number.toString(16)}`
}
