import { Button, Checkbox, FileButton, Progress, Select, Textarea, TextInput } from '@mantine/core'
import '@mantine/core/styles/Progress.css'
import { MAX_PACKAGE_FILE_BYTES } from '@muster/contract/agent/package-files'
import { KEPT_FILE_DAYS, MAX_KEPT_FILE_BYTES } from '@muster/contract/agent/push-file'
import { formatFileSize } from '@muster/rules/text/units'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { useMay } from '../../app/api/queries.ts'
import { packageFilesQuery } from '../software/package-files-query.ts'
import { uploadPackageFile } from '../software/upload-package-file.ts'
import type { ChangeForm } from './change-form.ts'
import classes from './Jobs.module.css'

interface FieldsProps {
  form: ChangeForm
  onChange: (values: Partial<ChangeForm>) => void
}

const PLAIN = { autoComplete: 'off', spellCheck: false, classNames: { input: 'mono' } } as const

export function TextFileFields({ form, onChange }: FieldsProps) {
  return (
    <>
      <PathField form={form} onChange={onChange} />
      <Textarea
        label="Content"
        autosize
        minRows={4}
        maxRows={16}
        value={form.text}
        onChange={({ currentTarget }) => onChange({ text: currentTarget.value })}
        {...PLAIN}
      />
      <RightsFields form={form} onChange={onChange} />
    </>
  )
}

/** A file of the server, or one that is uploaded here. */
export function PushFileFields({ form, onChange }: FieldsProps) {
  const [mayList, mayUpload] = [useMay('can_list_software'), useMay('can_manage_software')]
  const queryClient = useQueryClient()
  const { data: files = [] } = useQuery({ ...packageFilesQuery, enabled: mayList })
  const [sent, setSent] = useState<{ name: string; percent: number }>()
  const upload = useMutation({
    mutationFn: async (content: File) => {
      const { name } = content
      if (content.size === 0) throw new Error('The file is empty. Write a text file instead.')
      if (content.size > MAX_PACKAGE_FILE_BYTES)
        throw new Error(`A file has at most ${formatFileSize(MAX_PACKAGE_FILE_BYTES)}.`)
      const fields = { name: name.slice(0, 100), args: '', detection: null }
      const file = await uploadPackageFile(content, fields, (bytes) =>
        setSent({ name, percent: (100 * bytes) / content.size }),
      )
      await queryClient.invalidateQueries({ queryKey: packageFilesQuery.queryKey })
      return file
    },
    meta: { errorsShown: true },
    onSuccess: ({ id }) => onChange({ pushed: `${id}` }),
    onSettled: () => setSent(undefined),
  })
  const choose = (content: File | null) => content !== null && upload.mutate(content)
  return (
    <>
      <div className={classes.row}>
        <Select
          label="File"
          description={mayList ? undefined : 'Your role does not allow you to see stored files.'}
          placeholder={mayUpload ? 'Choose or upload a file' : 'Choose a file'}
          data={files
            .filter(({ sha256 }) => sha256 !== null)
            .map(({ id, name, bytes }) => ({ value: `${id}`, label: `${name} (${formatFileSize(bytes)})` }))}
          disabled={!mayList || upload.isPending}
          searchable
          allowDeselect={false}
          nothingFoundMessage="No matching file"
          value={form.pushed}
          onChange={(pushed) => onChange({ pushed })}
        />
        {mayUpload && (
          <FileButton onChange={choose}>
            {(props) => (
              <Button variant="default" className={classes.upload} loading={upload.isPending} {...props}>
                Upload a file
              </Button>
            )}
          </FileButton>
        )}
      </div>
      {sent !== undefined && <Progress aria-label={`Upload of ${sent.name}`} value={sent.percent} />}
      {upload.error !== null && <FormError error={upload.error} />}
      <PathField form={form} onChange={onChange} />
      <Checkbox
        label="Replace a file with other content"
        description={`Undo restores files up to ${formatFileSize(MAX_KEPT_FILE_BYTES)} for ${KEPT_FILE_DAYS} days.`}
        checked={form.overwrite}
        onChange={({ currentTarget }) => onChange({ overwrite: currentTarget.checked })}
      />
      <RightsFields form={form} onChange={onChange} />
    </>
  )
}

function PathField({ form, onChange }: FieldsProps) {
  return (
    <TextInput
      label="Path"
      description="The folder must exist. Machines with other paths are skipped."
      placeholder="/etc/motd or C:\ProgramData\motd.txt"
      maxLength={4000}
      value={form.path}
      onChange={({ currentTarget }) => onChange({ path: currentTarget.value })}
      {...PLAIN}
    />
  )
}

function RightsFields({ form, onChange }: FieldsProps) {
  return (
    <div className={classes.row}>
      <TextInput
        label="Mode"
        description="Empty keeps it; 0644 for a new file"
        placeholder="0644"
        maxLength={4}
        value={form.mode}
        onChange={({ currentTarget }) => onChange({ mode: currentTarget.value })}
        {...PLAIN}
      />
      <TextInput
        label="Owner"
        description="Empty keeps it"
        placeholder="root:root"
        maxLength={130}
        value={form.owner}
        onChange={({ currentTarget }) => onChange({ owner: currentTarget.value })}
        {...PLAIN}
      />
    </div>
  )
}
