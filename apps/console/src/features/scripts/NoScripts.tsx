import { Button } from '@mantine/core'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { EmptyState } from '../../ui/layout/States.tsx'

/** Where a script is to be chosen and there is none: the way to the library. */
export function NoScripts() {
  const mayManage = useMay('can_manage_scripts')
  const { open } = useDialog()
  return (
    <EmptyState message="There are no scripts yet.">
      {mayManage && (
        <Button variant="default" onClick={() => open('scripts')}>
          Open the script library
        </Button>
      )}
    </EmptyState>
  )
}
