import { createSocketTicket } from '@muster/contract/api/system'
import { LogNews } from '@muster/contract/agent/logs'
import type { LogRequest } from '@muster/contract/channels'
import { formatFileSize } from '@muster/rules/text/units'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../../app/api/api.ts'
import { ChannelClient } from '../channel-client.ts'
import { LogLines, type LogPiece } from './log-lines.ts'

const DRAW_EVERY_MS = 150

export interface TailState {
  state: 'connecting' | 'following' | 'lost' | 'blocked' | 'ended'
  /** Why it ended or failed. */
  message: string
}

/** Follows a log of a machine. While paused no data is accepted, so that the machine waits as well. */
export function useLogTail(agentId: string, request: LogRequest, isPaused: boolean) {
  const [pieces, setPieces] = useState<readonly LogPiece[]>([])
  const [state, setState] = useState<TailState>({ state: 'connecting', message: '' })
  const paused = useRef(isPaused)
  const held = useRef<(() => void)[]>([])
  useEffect(() => {
    paused.current = isPaused
    if (isPaused) return
    for (const take of held.current.splice(0)) take()
  }, [isPaused])
  useEffect(() => {
    const lines = new LogLines()
    let timer: ReturnType<typeof setTimeout> | undefined
    const draw = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        setPieces(lines.pieces())
      }, DRAW_EVERY_MS)
    }
    const channel = new ChannelClient(agentId, {
      fetchTicket: async () => (await call(createSocketTicket, {}, { timeoutMs: 10_000 })).ticket,
      request: () => request,
      onWelcome: () => undefined,
      onData: (bytes, consumed) => {
        const take = () => {
          lines.take(bytes)
          consumed()
          draw()
        }
        if (paused.current) held.current.push(take)
        else take()
      },
      onText: (message) => {
        const news = LogNews.safeParse(message)
        if (!news.success) return
        const take = () => {
          if (news.data.type === 'following') {
            lines.clear()
            setState({ state: 'following', message: '' })
          } else lines.remark(describe(news.data))
          draw()
        }
        if (paused.current && news.data.type !== 'following') held.current.push(take)
        else take()
      },
      onLost: (why) => {
        held.current = []
        if (why === 'blocked') return setState({ state: 'blocked', message: '' })
        setState({ state: 'lost', message: why?.message ?? 'Connection lost.' })
      },
      onEnd: (end) => {
        setState({ state: 'ended', message: end.message })
        return false
      },
    })
    return () => {
      clearTimeout(timer)
      channel[Symbol.dispose]()
    }
  }, [agentId, request])
  return { pieces, state }
}

function describe(news: Exclude<LogNews, { type: 'following' }>): string {
  switch (news.type) {
    case 'skipped':
      return `${formatFileSize(news.bytes)} skipped: the log grows too fast`
    case 'truncated':
      return 'file truncated'
    case 'rotated':
      return 'file replaced'
  }
}
