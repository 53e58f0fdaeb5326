import { factsOf, headlineOf, writeTime } from '../channels/message.ts'
import { newsOf } from '../channels/prepare-message.ts'
import { escapeHtml } from '../channels/senders/email-body.ts'
import type { AlertLinkState } from './acknowledge-by-link.ts'

export const LINK_STATUS: Record<AlertLinkState['state'], number> = {
  unknown: 404,
  expired: 410,
  used: 410,
  resolved: 409,
  acknowledged: 409,
  ready: 200,
  done: 200,
}

const STYLE = `
:root{color-scheme:light dark}
body{max-width:34rem;margin:0 auto;padding:24px 16px;font:16px/1.5 system-ui,sans-serif;
  background:light-dark(#fff,#16181c);color:light-dark(#1a1c20,#e6e8eb);overflow-wrap:anywhere}
h1{margin:0 0 16px;font-size:20px;line-height:1.3}
dl{display:grid;grid-template-columns:auto 1fr;gap:4px 16px;margin:0 0 24px}
dt{color:light-dark(#5c6370,#9aa1ad)}
dd{margin:0}
button{width:100%;min-height:48px;border:0;border-radius:6px;background:#1864ab;color:#fff;font:inherit;
  font-weight:600;cursor:pointer}
button:focus-visible{outline:3px solid light-dark(#1a1c20,#e6e8eb);outline-offset:2px}
a{color:light-dark(#1864ab,#74c0fc)}
p{margin:0 0 16px}`

/** The page of a link. It names the alert and has one button, or says why the link does nothing. */
export function writeLinkPage(found: AlertLinkState, publicUrl: string | undefined): string {
  switch (found.state) {
    case 'unknown':
      return pageOf('Link not valid', '<p>Open the complete link from the notification.</p>')
    case 'expired':
      return pageOf('Link expired', '<p>Links work for 48 hours. Sign in to Muster to see the alert.</p>')
    case 'used':
      return pageOf(
        'Link already used',
        `<p>Acknowledged by ${escapeHtml(found.link.recipient)} on ${timeOf(found.link.used_at, found)}.</p>`,
      )
    case 'resolved':
      return alertPage(found, 'Alert already resolved', [
        `<p>Resolved on ${timeOf(found.alert.resolved_on, found)}.</p>`,
        consoleLink(found, publicUrl),
      ])
    case 'acknowledged':
      return alertPage(found, 'Alert already acknowledged', [
        `<p>Acknowledged by ${escapeHtml(found.alert.acknowledged_by)} on ${timeOf(found.alert.acknowledged_on, found)}.</p>`,
        consoleLink(found, publicUrl),
      ])
    case 'done':
      return alertPage(found, 'Alert acknowledged', [
        `<p>Acknowledged by ${escapeHtml(found.link.recipient)}. No reminders are sent.</p>`,
        consoleLink(found, publicUrl),
      ])
    case 'ready':
      return alertPage(found, 'Acknowledge alert', [
        `<p>You acknowledge as ${escapeHtml(found.link.recipient)}.</p>`,
        '<form method="post"><button type="submit">Acknowledge</button></form>',
      ])
  }
}

/** For an address with too many wrong links. */
export function writeBlockedPage(sentence: string): string {
  return pageOf('Too many wrong links', `<p>${escapeHtml(sentence)}</p>`)
}

type WithAlert = Extract<AlertLinkState, { alert: unknown }>

function alertPage(found: WithAlert, title: string, content: string[]): string {
  const news = newsOf({ kind: found.alert.state === 'resolved' ? 'resolved' : 'opened' }, found.alert)
  const facts = factsOf(news, { timeZone: found.link.time_zone }).map(
    ([label, value]) => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd>`,
  )
  return pageOf(
    title,
    [`<p>${escapeHtml(headlineOf(news))}</p>`, '<dl>', ...facts, '</dl>', ...content].join('\n'),
  )
}

function consoleLink({ alert }: WithAlert, publicUrl: string | undefined): string {
  if (publicUrl === undefined) return ''
  return `<p><a href="${escapeHtml(publicUrl)}/alerts?dialog=alert&amp;item=${alert.id}">Open in Muster</a></p>`
}

function timeOf(instant: string | null, { link }: { link: { time_zone: string } }): string {
  return instant === null ? '' : escapeHtml(writeTime(instant, link.time_zone))
}

function pageOf(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – Muster</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`
}
