import { useNavigate } from '@tanstack/react-router'
import { notify } from '../../app/shell/notify.ts'
import { useDashInfo, useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'

/** What a double click on a machine does, as the user's preferences say. */
export function useDoubleClick(): (agent: { agent_id: string }) => void {
  const action = useDashInfo()?.dbl_click_action ?? 'editagent'
  const mayEdit = useMay('can_edit_agent')
  const { open } = useDialog()
  const navigate = useNavigate()
  return ({ agent_id }) => {
    const params = { agent_id }
    switch (action) {
      case 'editagent':
        if (mayEdit) open('edit-agent', agent_id)
        else void navigate({ to: '/agents/$agent_id', params })
        return
      case 'takecontrol':
        void navigate({ to: '/takecontrol/$agent_id', params })
        return
      case 'remotebg':
        void navigate({ to: '/remotebackground/$agent_id', params })
        return
      case 'urlaction':
        notify('There are no URL actions yet. Choose another double click in the preferences.')
    }
  }
}
