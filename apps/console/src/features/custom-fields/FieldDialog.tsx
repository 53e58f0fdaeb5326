import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type CustomField, createCustomField, editCustomField } from '@muster/contract/api/custom-fields'
import type { CustomFieldModel } from '@muster/contract/custom-field-values'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDialog } from '../../app/FormDialog.tsx'
import { GuardedDialog, StateDialog } from '../../app/GuardedDialog.tsx'
import { call } from '../../app/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { DefinitionInputs } from './DefinitionInputs.tsx'
import { type FieldForm, NEW_FIELD, checkFieldForm, readFieldForm, toFieldBody } from './field-form.ts'
import { MODELS } from './field-words.ts'
import { fieldsQuery } from './fields-query.ts'
import { useFieldAddress } from './use-field-address.ts'

/** A custom field: a new one (`new.agent`), or one that there is (`3`). Closing it leads to the list. */
export function FieldDialog({ item = '' }: AddressedDialogProps) {
  const { openList } = useFieldAddress()
  const model = MODELS.find((one) => item === `new.${one.model}`)?.model
  return (
    <GuardedDialog
      title="Custom field"
      needs="can_manage_customfields"
      onClose={() => openList(model ?? 'client')}
    >
      {model === undefined ? (
        <LoadedField id={Number(item)} />
      ) : (
        <DefinitionForm model={model} field={undefined} onClose={() => openList(model)} />
      )}
    </GuardedDialog>
  )
}

function LoadedField({ id }: { id: number }) {
  const { openList } = useFieldAddress()
  const { data, error, isFetchedAfterMount, refetch } = useQuery({ ...fieldsQuery, staleTime: 0 })
  const [opened, setOpened] = useState<CustomField>()
  const field = data?.find((one) => one.id === id)
  const close = () => openList(opened?.model ?? 'client')
  if (opened === undefined && field !== undefined && isFetchedAfterMount) setOpened(field)
  if (opened !== undefined) return <DefinitionForm model={opened.model} field={opened} onClose={close} />
  if (data !== undefined && isFetchedAfterMount && field === undefined) {
    return (
      <Dialog title="Custom field" onClose={close}>
        <EmptyState message="This field does not exist any more.">
          <Button variant="default" onClick={close} data-autofocus>
            Show all fields
          </Button>
        </EmptyState>
      </Dialog>
    )
  }
  return <StateDialog title="Custom field" onClose={close} error={error} onRetry={() => void refetch()} />
}

interface DefinitionFormProps {
  model: CustomFieldModel
  /** The one that is edited, as it was when the form was opened. */
  field: CustomField | undefined
  onClose: () => void
}

const NOUNS = { client: 'clients', site: 'sites', agent: 'machines' }

function DefinitionForm({ model, field, onClose }: DefinitionFormProps) {
  const queryClient = useQueryClient()
  const form = useForm<FieldForm>({
    initialValues: field === undefined ? NEW_FIELD : readFieldForm(field),
    validate: checkFieldForm,
    validateInputOnBlur: true,
  })
  const save = async (values: FieldForm) => {
    const body = toFieldBody(model, values)
    if (field === undefined) await call(createCustomField, { body })
    else {
      const { id, modified } = field
      await call(editCustomField, { params: { id }, body: { ...body, modified } })
    }
    await queryClient.invalidateQueries({ queryKey: fieldsQuery.queryKey })
  }
  return (
    <FormDialog
      title={field === undefined ? `New field of ${NOUNS[model]}` : `Edit ${field.name}`}
      form={form}
      save={save}
      done={field === undefined ? 'Field added.' : 'Field saved.'}
      submitLabel={field === undefined ? 'Add field' : 'Save'}
      onClose={onClose}
    >
      <DefinitionInputs form={form} isNew={field === undefined} />
    </FormDialog>
  )
}
