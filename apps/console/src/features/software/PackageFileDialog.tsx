import { Button, FileButton, Progress, Select, Stack, Text, TextInput } from '@mantine/core'
import '@mantine/core/styles/Progress.css'
import { useForm } from '@mantine/form'
import { type Detection, PackageFileName } from '@muster/contract/agent/package-files'
import { editPackageFile, type PackageFile } from '@muster/contract/api/package-files'
import { formatOf, platformOf } from '@muster/rules/agents/package-files'
import { formatFileSize } from '@muster/rules/text/units'
import { useState } from 'react'
import { call } from '../../app/api/api.ts'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { ChangedMeanwhile, RecordDialog } from '../../app/dialogs/RecordDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../app/dialogs/use-dialog.ts'
import { useSaveInto } from '../../app/dialogs/use-save-into.ts'
import { packageFilesQuery } from './package-files-query.ts'
import { uploadPackageFile } from './upload-package-file.ts'

/** A new package file (`new`) or an existing one (`3`). Closing leads to the list. */
export function PackageFileDialog({ item }: AddressedDialogProps) {
  const { openList } = useRecordAddress('package-files', 'package-file')
  return (
    <RecordDialog
      list={packageFilesQuery}
      item={item}
      title="Package file"
      needs="can_manage_software"
      gone="This package file does not exist any more."
      back="Show package files"
      onClose={openList}
    >
      {(file, onReload) => <PackageFileForm file={file} onReload={onReload} onClose={openList} />}
    </RecordDialog>
  )
}

const ACCEPT = '.msi,.exe,.pkg,.deb,.rpm'
const DETECTIONS = [
  { value: 'none', label: 'None: the installer runs each time' },
  { value: 'package', label: 'A package in the software list' },
  { value: 'file', label: 'A file on the machine' },
  { value: 'registry', label: 'A registry key' },
] as const

type FormValues = {
  /** The name of the chosen file. */
  file_name: string
  name: string
  args: string
  by: 'none' | Detection['by']
  path: string
  package: string
  version: string
  key: string
  value: string
  data: string
}

interface PackageFileFormProps {
  /** The edited file, as it was when the form was opened. */
  file: PackageFile | undefined
  /** After a conflict: restarts the form with the saved values. */
  onReload?: (() => void) | undefined
  onClose: () => void
}

function PackageFileForm({ file, onReload, onClose }: PackageFileFormProps) {
  const saveInto = useSaveInto(packageFilesQuery.queryKey)
  const [content, setContent] = useState<File | null>(null)
  const [sent, setSent] = useState<number>()
  const form = useForm<FormValues>({
    initialValues: valuesOf(file),
    validate: {
      file_name: (name) => (file === undefined ? checkFileName(name) : null),
      name: (name) => (name.trim() === '' ? 'A name is needed.' : null),
      path: (path, { by }) => (by === 'file' && path.trim() === '' ? 'Enter a path.' : null),
      package: (name, { by }) => (by === 'package' && name.trim() === '' ? 'Enter a name.' : null),
      key: (key, { by }) => (by === 'registry' && key.trim() === '' ? 'Enter a key.' : null),
    },
  })
  const format = file?.format ?? (content === null ? undefined : formatOf(content.name))
  const takesArguments = format === undefined || (format !== 'other' && platformOf(format) === 'windows')
  const choose = (chosen: File | null) => {
    setContent(chosen)
    form.setFieldValue('file_name', chosen?.name ?? '')
    if (chosen !== null && form.values.name === '')
      form.setFieldValue('name', chosen.name.replace(/\.\w+$/, ''))
  }
  const save = async (values: FormValues) => {
    const args = takesArguments ? values.args.trim() : ''
    const body = { name: values.name.trim(), args, detection: detectionOf(values) }
    await saveInto(async () => {
      if (file !== undefined)
        await call(editPackageFile, { params: { id: file.id }, body: { ...body, modified: file.modified } })
      else if (content === null) throw new Error('the button is disabled without a file')
      else await uploadPackageFile(content, body, setSent)
    })
  }
  return (
    <FormDialog
      title={file === undefined ? 'Upload a package file' : `Edit ${file.name}`}
      form={form}
      save={save}
      done={file === undefined ? 'Package file uploaded.' : 'Package file saved.'}
      submitLabel={file === undefined ? 'Upload' : 'Save'}
      onClose={onClose}
    >
      <Stack gap="md">
        <ChangedMeanwhile what="this package file" onReload={onReload} />
        {file === undefined && (
          <div className="stack">
            <FileButton onChange={choose} accept={ACCEPT}>
              {(props) => (
                <Button variant="default" {...props}>
                  Choose a file
                </Button>
              )}
            </FileButton>
            {typeof form.errors.file_name === 'string' && (
              <Text size="sm" role="alert">
                {form.errors.file_name}
              </Text>
            )}
            <Text size="sm">
              {content === null
                ? 'MSI, EXE, PKG, DEB or RPM, at most 512 MB'
                : `${content.name}, ${formatFileSize(content.size)}`}
            </Text>
            {sent !== undefined && content !== null && (
              <Progress aria-label="Upload" value={(100 * sent) / content.size} />
            )}
          </div>
        )}
        <TextInput label="Name" maxLength={100} {...form.getInputProps('name')} />
        {takesArguments && (
          <TextInput
            label="Silent arguments"
            description="Added to the command line. MSI files run with /qn /norestart."
            placeholder={format === 'exe' ? '/S' : 'INSTALLDIR="C:\\Tools"'}
            classNames={{ input: 'mono' }}
            maxLength={1000}
            spellCheck={false}
            {...form.getInputProps('args')}
          />
        )}
        {format !== 'other' && (
          <Select
            label="Detection"
            description="Skips machines that have it, and proves the installation"
            data={DETECTIONS.filter(({ value }) => value !== 'registry' || format !== 'deb')}
            allowDeselect={false}
            {...form.getInputProps('by')}
          />
        )}
        {form.values.by === 'file' && (
          <TextInput
            label="Path"
            placeholder="%ProgramFiles%\7-Zip\7z.exe"
            classNames={{ input: 'mono' }}
            maxLength={500}
            {...form.getInputProps('path')}
          />
        )}
        {form.values.by === 'package' && (
          <>
            <TextInput label="Package" maxLength={255} {...form.getInputProps('package')} />
            <TextInput
              label="Oldest version"
              placeholder="Any"
              maxLength={100}
              {...form.getInputProps('version')}
            />
          </>
        )}
        {form.values.by === 'registry' && (
          <>
            <TextInput
              label="Key"
              placeholder="HKLM\SOFTWARE\7-Zip"
              classNames={{ input: 'mono' }}
              maxLength={1000}
              {...form.getInputProps('key')}
            />
            <TextInput
              label="Value"
              placeholder="Any: the key exists"
              maxLength={255}
              {...form.getInputProps('value')}
            />
            <TextInput label="Content" placeholder="Any" maxLength={1000} {...form.getInputProps('data')} />
          </>
        )}
      </Stack>
    </FormDialog>
  )
}

function checkFileName(name: string): string | null {
  if (name === '') return 'Choose a file.'
  if (formatOf(name) === undefined) return 'Choose an MSI, EXE, PKG, DEB or RPM file.'
  return PackageFileName.safeParse(name).success
    ? null
    : 'Rename the file: use letters, digits and . _ ( ) + ~ - only.'
}

function valuesOf(file: PackageFile | undefined): FormValues {
  const detection = file?.detection ?? null
  return {
    file_name: file?.file_name ?? '',
    name: file?.name ?? '',
    args: file?.args ?? '',
    by: detection?.by ?? 'none',
    path: detection?.by === 'file' ? detection.path : '',
    package: detection?.by === 'package' ? detection.name : '',
    version: detection?.by === 'package' ? detection.version : '',
    key: detection?.by === 'registry' ? detection.key : '',
    value: detection?.by === 'registry' ? detection.value : '',
    data: detection?.by === 'registry' ? detection.data : '',
  }
}

function detectionOf({ by, path, package: name, version, key, value, data }: FormValues): Detection | null {
  switch (by) {
    case 'none':
      return null
    case 'file':
      return { by, path }
    case 'package':
      return { by, name, version }
    case 'registry':
      return { by, key, value, data }
  }
}
