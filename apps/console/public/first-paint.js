// Runs before the first paint, so that a dark console never flashes white. A file of its own, because the
// content security policy allows no inline script.
;(function () {
  var saved = null
  try {
    saved = localStorage.getItem('mantine-color-scheme-value')
  } catch {
    // Storage is refused: the system's own choice stands.
  }
  var dark = saved === 'dark' || (saved !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
  document.documentElement.style.backgroundColor = dark ? '#0d1117' : '#f6f7f9'
  // Phones colour the bar above the page.
  document.querySelector('meta[name="theme-color"]').content = dark ? '#12171f' : '#ffffff'

  // Trusted Types: nothing on the page may turn text into elements or code. The exceptions are what the UI kit
  // writes into <style> elements, which is text without any tag, and the console's own service worker.
  if (window.trustedTypes) {
    trustedTypes.createPolicy('default', {
      createHTML: function (text) {
        return /<[a-z!?/]/i.test(text) ? null : text
      },
      createScriptURL: function (url) {
        return url === '/service-worker.js' ? url : null
      },
    })
  }

  if ('offline' in document.documentElement.dataset) return

  // A program that fails before it has drawn anything, or whose file does not load, would leave a blank page. The
  // browser logs the error itself. If the program starts after all, it replaces the sentence.
  var sayBroken = function () {
    setTimeout(function () {
      var root = document.getElementById('root')
      if (root === null || root.childElementCount > 0) return
      var page = document.createElement('div')
      page.setAttribute('role', 'alert')
      page.style.cssText = 'padding:24vh 16px 0;text-align:center;font:16px/1.5 system-ui,sans-serif'
      page.style.color = dark ? '#e6edf3' : '#1c2430'
      var sentence = document.createElement('p')
      sentence.textContent = 'The console could not start. Reload the page to try again.'
      var reload = document.createElement('button')
      reload.textContent = 'Reload'
      reload.style.cssText = 'padding:8px 16px;font:inherit;cursor:pointer'
      reload.addEventListener('click', function () {
        location.reload()
      })
      page.append(sentence, reload)
      root.append(page)
    })
  }
  // A file that does not load reports to its own element only: hence the capture.
  window.addEventListener('error', sayBroken, true)
  window.addEventListener('unhandledrejection', sayBroken)

  // Requests the data of the dashboard or the overview while their program still loads; app/early.ts uses the responses.
  var token = null
  try {
    token = localStorage.getItem('access_token')
  } catch {
    // Without storage nobody is signed in.
  }
  // A new window opens the user's start page; a reload stays where it is.
  var opened = performance.getEntriesByType('navigation')[0]
  if (
    token &&
    location.pathname === '/' &&
    location.search === '' &&
    localStorage.getItem('start_page') === 'overview' &&
    opened !== undefined &&
    opened.type === 'navigate'
  ) {
    history.replaceState(null, '', '/overview')
  }
  var isOverview = location.pathname === '/overview'
  if (token && (location.pathname === '/' || isOverview)) {
    var answers = {}
    var early = { token: token, answers: answers }
    var ask = function (path) {
      var sentMs = Date.now()
      answers[path] = fetch(path, {
        credentials: 'include',
        headers: { accept: 'application/json', authorization: 'Token ' + token },
      }).then(function (response) {
        early.clock = { date: response.headers.get('date'), sentMs: sentMs, receivedMs: Date.now() }
        return response
      })
      return answers[path]
    }
    // app/early.ts reports failures.
    var ignore = function () {}
    window.musterEarly = early
    ask('/accounts/users/me/').catch(ignore)
    ask('/core/dashinfo/').catch(ignore)
    if (isOverview && location.search === '') {
      ask('/overview/').catch(ignore)
    } else if (location.search === '') {
      // The tab that the user had last time; a mixed one, which shows every type, names none.
      var tab = localStorage.getItem('table_tab')
      var type = tab === 'server' || tab === 'workstation' ? 'monitoring_type=' + tab + '&' : ''
      ask('/agents/?' + type + 'page=1&page_size=60&sort=worst').catch(ignore)
    }
  }
})()
