import { listAlerts } from '@muster/contract/api/alerts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { query } from '../../app/api/api.ts'
import { SEVERITY_LABELS, alertName, locationOf } from './alert-labels.ts'
import { findNews } from './find-news.ts'
import { subscribeToPush } from './push-notices.ts'

/** Shows new open alerts as browser notifications while the page is hidden. Renders nothing. */
export function BrowserNotices() {
  const { data } = useQuery({ ...query(listAlerts, { body: { top: 100 } }), meta: { quiet: true } })
  const navigate = useNavigate()
  const seen = useRef<ReadonlySet<number>>(undefined)
  const alerts = data?.alerts
  useEffect(() => {
    if (alerts === undefined) return
    const { news, known } = findNews(alerts, seen.current)
    seen.current = known
    if (!document.hidden) return
    for (const alert of news) {
      const notice = new Notification(
        [SEVERITY_LABELS[alert.severity], locationOf(alert)].filter(Boolean).join(': '),
        // Several tabs of one browser show one notification: the later one replaces the earlier.
        { body: alertName(alert), tag: `muster-alert-${alert.id}`, icon: '/favicon.svg' },
      )
      notice.addEventListener('click', () => {
        window.focus()
        notice.close()
        void navigate({ to: '/alerts', search: { alert: `${alert.id}` } })
      })
    }
  }, [alerts, navigate])
  return null
}

/** Subscribes again at each start: browsers change their address, and the server its sessions. Renders nothing. */
export function PushNotices() {
  useEffect(() => void subscribeToPush(), [])
  return null
}
