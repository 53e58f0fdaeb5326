import { Button } from '@mantine/core'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { EmptyState } from '../../ui/layout/States.tsx'

/** Shown in place of a script select without scripts: a link to the library. */
export function NoScripts() {
  const mayManage = useMay('can_manage_scripts')
  const { open } = useDialog()
  return (
    <EmptyState message="No scripts yet.">
      {mayManage && (
        <Button variant="default" onClick={() => open('scripts')}>
          Open script library
        </Button>
      )}
    </EmptyState>
  )
}
