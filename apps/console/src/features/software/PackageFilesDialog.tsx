import { Text } from '@mantine/core'
import { type PackageFile, removePackageFile } from '@muster/contract/api/package-files'
import { formatFileSize } from '@muster/rules/text/units'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { ListDialog, NewButton } from '../../app/dialogs/ListDialog.tsx'
import { RemoveDialog } from '../../app/dialogs/RemoveDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../app/dialogs/use-dialog.ts'
import { Time } from '../../ui/layout/Time.tsx'
import { EditAndDelete, ListRow, RowDetail } from '../../ui/table/ListRows.tsx'
import { packageFilesQuery } from './package-files-query.ts'

const TITLE = 'Package files'

/** Uploaded installers, and other files that jobs push. */
export function PackageFilesDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_software" onClose={close}>
      <PackageFiles close={close} />
    </GuardedDialog>
  )
}

function PackageFiles({ close }: { close: () => void }) {
  const mayEdit = useMay('can_manage_software')
  const { openRecord } = useRecordAddress('package-files', 'package-file')
  const files = useQuery(packageFilesQuery)
  const [removing, setRemoving] = useState<PackageFile>()
  return (
    <>
      <ListDialog
        title={TITLE}
        onClose={close}
        rows={files}
        empty="No package files yet. Upload an MSI, EXE, PKG, DEB or RPM file, and install it by a job."
        create={mayEdit && <NewButton onClick={() => openRecord('new')}>Upload a file</NewButton>}
        searchText={({ name }) => name}
      >
        {(file) => (
          <ListRow
            key={file.id}
            name={file.name}
            actions={
              mayEdit ? (
                <EditAndDelete
                  name={file.name}
                  onEdit={() => openRecord(file.id)}
                  onDelete={() => setRemoving(file)}
                />
              ) : null
            }
          >
            <RowDetail>
              {file.file_name}, {formatFileSize(file.bytes)}
            </RowDetail>
            <RowDetail>
              {file.format === 'other'
                ? 'for jobs that push it'
                : file.detection === null
                  ? 'no detection'
                  : `detected by ${file.detection.by}`}
            </RowDetail>
            <RowDetail>
              {file.sha256 === null ? 'upload not finished' : 'uploaded'} by {file.created_by}{' '}
              <Time instant={file.created_at} relative />
            </RowDetail>
          </ListRow>
        )}
      </ListDialog>
      {removing !== undefined && (
        <RemoveDialog
          title="Remove this package file?"
          message={
            <Text>
              Jobs can no longer use <bdi>{removing.name}</bdi>. Machines keep what they have.
            </Text>
          }
          remove={() => call(removePackageFile, { params: { id: removing.id } })}
          done="Package file removed."
          stale={packageFilesQuery.queryKey}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  )
}
