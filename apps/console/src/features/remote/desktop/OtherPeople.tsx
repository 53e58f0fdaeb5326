import { listOpenTools } from '@muster/contract/api/remote'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../../app/api/api.ts'
import classes from './DesktopWindow.module.css'

/** Who else works on the machine just now, as long as this session goes on. */
export function OtherPeople({ agentId, session }: { agentId: string; session: string }) {
  const { data = [] } = useQuery({
    ...query(listOpenTools, { params: { agent_id: agentId } }),
    staleTime: 0,
  })
  const others = data.filter(({ id }) => id !== session)
  if (others.length === 0) return null
  const names = others.map(({ username, tool }) => `${username} (${tool === 'vnc' ? 'VNC' : tool})`)
  return <p className={classes.others}>Also here: {names.join(', ')}</p>
}
