import { useForm } from '@mantine/form'
import { type CustomField, createCustomField, editCustomField } from '@muster/contract/api/custom-fields'
import type { CustomFieldModel } from '@muster/contract/custom-field-values'
import { ChangedMeanwhile, EditedItem } from '../../app/dialogs/EditedItem.tsx'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { call } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/dialogs.tsx'
import { useSaveInto } from '../../app/dialogs/use-save-into.ts'
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
  return (
    <EditedItem
      list={fieldsQuery}
      id={id}
      title="Custom field"
      gone="This field does not exist any more."
      back="Show all fields"
      onClose={() => openList('client')}
    >
      {(field, onReload) => (
        <DefinitionForm
          model={field.model}
          field={field}
          onReload={onReload}
          onClose={() => openList(field.model)}
        />
      )}
    </EditedItem>
  )
}

interface DefinitionFormProps {
  model: CustomFieldModel
  /** The one that is edited, as it was when the form was opened. */
  field: CustomField | undefined
  onReload?: (() => void) | undefined
  onClose: () => void
}

const NOUNS = { client: 'clients', site: 'sites', agent: 'machines' }

function DefinitionForm({ model, field, onReload, onClose }: DefinitionFormProps) {
  const saveInto = useSaveInto(fieldsQuery.queryKey)
  const form = useForm<FieldForm>({
    initialValues: field === undefined ? NEW_FIELD : readFieldForm(field),
    validate: checkFieldForm,
    validateInputOnBlur: true,
  })
  const save = async (values: FieldForm) => {
    await saveInto(async () => {
      const body = toFieldBody(model, values)
      if (field === undefined) await call(createCustomField, { body })
      else {
        const { id, modified } = field
        await call(editCustomField, { params: { id }, body: { ...body, modified } })
      }
    })
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
      <ChangedMeanwhile what="this field" onReload={onReload} mb="md" />
      <DefinitionInputs form={form} isNew={field === undefined} />
    </FormDialog>
  )
}
