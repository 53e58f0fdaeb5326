import { Input, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { createTag, editTag, type Tag, TAG_COLORS, TagColor } from '@muster/contract/api/tags'
import { TagName } from '@muster/contract/tag-names'
import { call } from '../../app/api/api.ts'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { ChangedMeanwhile, RecordDialog } from '../../app/dialogs/RecordDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../app/dialogs/use-dialog.ts'
import { useSaveInto } from '../../app/dialogs/use-save-into.ts'
import { MachineSearchField } from '../agents/MachineSearch.tsx'
import { tagsQuery } from './tags-query.ts'

/** A new tag (`new`) or an existing one (`3`). Closing leads to the list. */
export function TagDialog({ item }: AddressedDialogProps) {
  const { openList } = useRecordAddress('tags', 'tag')
  return (
    <RecordDialog
      list={tagsQuery}
      item={item}
      title="Tag"
      needs="can_edit_agent"
      gone="This tag does not exist any more."
      back="Show all tags"
      onClose={openList}
    >
      {(tag, onReload) => <TagForm tag={tag} onReload={onReload} onClose={openList} />}
    </RecordDialog>
  )
}

type TagValues = {
  name: string
  color: string
  rule: string
}

interface TagFormProps {
  /** The edited tag, as it was when the form was opened. */
  tag: Tag | undefined
  onReload?: (() => void) | undefined
  onClose: () => void
}

function TagForm({ tag, onReload, onClose }: TagFormProps) {
  const saveInto = useSaveInto(tagsQuery.queryKey)
  const form = useForm<TagValues>({
    initialValues: { name: tag?.name ?? '', color: tag?.color ?? 'gray', rule: tag?.rule ?? '' },
    validate: { name: (name) => TagName.safeParse(name).error?.issues[0]?.message ?? null },
    validateInputOnBlur: true,
  })
  const save = async (values: TagValues) => {
    const body = { name: values.name, color: TagColor.parse(values.color), rule: values.rule }
    await saveInto(async () => {
      if (tag === undefined) await call(createTag, { body })
      else await call(editTag, { params: { id: tag.id }, body: { ...body, modified: tag.modified } })
    })
  }
  return (
    <FormDialog
      title={tag === undefined ? 'New tag' : `Edit ${tag.name}`}
      form={form}
      save={save}
      done={tag === undefined ? 'Tag added.' : 'Tag saved.'}
      submitLabel={tag === undefined ? 'Add tag' : 'Save'}
      onClose={onClose}
    >
      <Stack gap="md">
        <ChangedMeanwhile what="this tag" onReload={onReload} />
        <TextInput label="Name" maxLength={40} data-autofocus {...form.getInputProps('name')} />
        <Select
          label="Colour"
          data={TAG_COLORS.map((color) => ({
            value: color,
            label: `${color[0]?.toUpperCase()}${color.slice(1)}`,
          }))}
          allowDeselect={false}
          {...form.getInputProps('color')}
        />
        <Input.Wrapper
          label="Rule"
          description="Machines that match this search have the tag, as long as they match. Empty: by hand only."
        >
          <MachineSearchField
            label="Rule"
            text={form.values.rule}
            onChange={(rule) => form.setFieldValue('rule', rule)}
            error={form.errors['rule']}
          />
        </Input.Wrapper>
      </Stack>
    </FormDialog>
  )
}
