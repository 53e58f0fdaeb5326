import type { ChannelSettings } from '@muster/contract/api/alert-channels'

interface Template {
  settings: { email_recipients: string[]; text_recipients: string[] }
}

/** Recipients of a message: those of the template, else those of the channel. */
export function recipientsOf(settings: ChannelSettings, template: Template | undefined): string[] {
  if (settings.kind !== 'email' && settings.kind !== 'sms') return []
  const named =
    settings.kind === 'email' ? template?.settings.email_recipients : template?.settings.text_recipients
  return named === undefined || named.length === 0 ? settings.recipients : named
}

/** The settings of a channel with these recipients. */
export function sendTo(settings: ChannelSettings, recipients: string[]): ChannelSettings {
  return settings.kind === 'email' || settings.kind === 'sms' ? { ...settings, recipients } : settings
}
