/** Every text of the page, by language. What people and machines are called comes from the API and stays as it is. */

const EN = {
  "app.name": "Andon",
  "units.now": "now",
  "units.min": "min",
  "units.h": "h",
  "units.d": "d",

  "kind.error": "error",
  "kind.warning": "warning",
  "kind.silent": "silent",
  "kind.unknown": "no report",
  "kind.running": "running",
  "state.silent": "SILENT",
  "state.unknown": "NO REPORT",

  "person.erased": "erased person #{id}",

  "note.unseen": "not seen",
  "note.seen": "seen by {name}",
  "note.operator": "{name}",
  "note.operator.label": "assigned to {name}",
  "note.escalated": "{name}",
  "note.escalated.label": "escalated to {name}",
  "note.risk": "at risk",
  "note.silent": "silent",
  "note.pending": "being sent",

  "age.trouble": "trouble {age} ago",
  "age.atLeast": "at least {age}",
  "age.range": "{least} – {most}",
  "since.exact": "since {time}",
  "since.between": "since between {from} and {to}",
  "since.atLatest": "since {to} at the latest",
  "since.silent": "no report since {time}",

  "connection.starting": "connecting",
  "connection.live": "live",
  "connection.polling": "every 10 s",
  "connection.reconnecting": "reconnecting",
  "connection.lost": "no connection",
  "connection.stuck": "stands still",
  "connection.asOf": "as of {time}",
  "connection.banner": "No connection. What you see is as of {time} and may be out of date.",
  "connection.banner.never": "No connection. Nothing could be read yet.",
  "connection.banner.stuck": "This page could not draw what it was sent. What you see may be out of date; reload it.",
  "connection.banner.unreadable": "{count} of the machines cannot be shown: what came about them is not readable.",

  "board.help": "Help needed",
  "board.help.none": "Nobody needs help.",
  "board.help.count": "{count} in all",
  "board.lines": "Lines",
  "board.noLine": "No line",
  "board.empty": "No equipment is registered here.",
  "board.loading": "Reading the board …",
  "board.title": "{place} · Andon",
  "board.announce": "{name}: {state}",
  "board.parts": "Show",
  "board.all": "all of {company}",

  "choose.title": "Which board?",
  "choose.company": "Company",
  "choose.open": "Open the board",
  "choose.recent": "Opened before",

  "nav.board": "Board",
  "nav.faults": "Faults",
  "nav.back": "Back to the board",
  "account.signOut": "Sign out",
  "signIn.title": "Sign in to see the board",
  "signIn.button": "Sign in",
  "signIn.wall": "Sign in a screen on a wall",
  "signIn.wall.explain": "A screen on a wall stays signed in for months. It shows the board; nobody can change anything from it.",
  "signIn.ended": "Your session has ended. Sign in again to go on where you were.",
  "signIn.state": "This sign-in was not begun in this window. Try again.",
  "signIn.denied": "The sign-in was refused.",
  "signIn.exchange": "The sign-in took too long, or was used twice. Try again.",
  "signIn.unreachable": "The sign-in cannot be reached. Try again in a moment.",

  "machine.notFound": "Nothing is known of {id}.",
  "machine.noName": "not registered",
  "machine.place": "Place",
  "machine.id": "Id",
  "machine.seen": "Seen",
  "machine.seen.nobody": "by nobody yet",
  "machine.seen.by": "by {name}",
  "machine.operator": "Operator",
  "machine.escalated": "Escalated to",
  "machine.risk": "At risk",
  "machine.risk.since": "{reason}, since {time}",
  "machine.anomaly": "Unusual",
  "machine.anomaly.text": "{kind} on {time}: {seen} {unit}, usual are {typical}, at most {atMost} (state {state})",
  "machine.silent": "Silent",
  "machine.lastReport": "Last report",
  "machine.story": "What happened",
  "machine.story.none": "No trouble is known of the last 33 days.",
  "machine.others": "About no trouble on this page",
  "machine.older": "Show older ones",
  "machine.strip": "Troubles in the last 24 hours: {count}",
  "machine.audits": "Last audits",
  "machine.audits.none": "No audits yet.",
  "machine.audit.whole": "whole machine",
  "machine.audit.by": "{auditor}, {time}, revision {revision}",
  "machine.versions": "Versions",
  "machine.versions.none": "Not registered.",
  "machine.version": "Version {version}",
  "machine.version.deleted": "deleted",
  "machine.version.text": "{name}, {factory}, {line}",
  "machine.version.when": "{time}",

  "episode.open": "since {from}",
  "episode.closed": "{from} to {to}",
  "episode.lasted": "{age}",
  "episode.partial": "only part of it is shown",
  "entry.state-reported": "reported {state}",
  "entry.state-reported.detail": "reported {state}: {detail}",
  "entry.operator-assigned": "assigned to {operator}",
  "entry.operator-assigned.rule": "assigned to {operator} by the rule “{rule}”",
  "entry.state-escalated": "escalated to {supervisor}",
  "entry.state-escalated.rule": "escalated to {supervisor} by the rule “{rule}”",
  "entry.state-acknowledged": "seen by {acknowledgedBy}",
  "entry.equipment-at-risk": "at risk: {reason}",
  "entry.equipment-silent": "silent since {since}",
  "entry.equipment-back": "reports again",
  "entry.other": "{type}",

  "deed.acknowledge": "Seen",
  "deed.acknowledge.title": "Seen: {name}",
  "deed.acknowledge.explain": "You say that you have seen this. It is not escalated any more, and it cannot be taken back.",
  "deed.acknowledge.do": "I have seen it",
  "deed.acknowledge.done": "Recorded: you have seen {name}.",
  "deed.acknowledge.faster": "{who} had seen it before you.",
  "deed.assign": "Assign",
  "deed.assign.title": "Assign: {name}",
  "deed.assign.label": "Operator",
  "deed.assign.now": "Now assigned to {who}.",
  "deed.assign.nobody": "Assigned to nobody yet.",
  "deed.assign.do": "Assign",
  "deed.assign.over": "Assign instead of {who}",
  "deed.assign.done": "{name} is assigned to {who}.",
  "deed.assign.faster": "Somebody was faster: it is assigned to {who} now. Nothing you typed is lost; do it again to replace {who}.",
  "deed.escalate": "Escalate",
  "deed.escalate.title": "Escalate: {name}",
  "deed.escalate.label": "Supervisor",
  "deed.escalate.now": "Now escalated to {who}.",
  "deed.escalate.nobody": "Escalated to nobody yet.",
  "deed.escalate.do": "Escalate",
  "deed.escalate.over": "Escalate instead of {who}",
  "deed.escalate.done": "{name} is escalated to {who}.",
  "deed.escalate.faster": "Somebody was faster: it is escalated to {who} now. Nothing you typed is lost; do it again to replace {who}.",
  "deed.cancel": "Cancel",
  "deed.close": "Close",
  "deed.sending": "Sending …",
  "deed.reading": "Reading who has it …",
  "deed.someone": "Somebody",
  "deed.person.none": "Nobody here is called {who}. Choose somebody, or type an id.",
  "deed.person.several": "Several people are called {who}. Choose one of them.",

  "faults.title": "Faults",
  "faults.none": "No faults.",
  "faults.older": "Show older ones",
  "faults.show": "Show the message",
  "faults.message": "Message",
  "faults.attempts": "Resubmissions",
  "faults.resubmit": "Resubmit",
  "faults.resubmitted": "Resubmitted {time}",
  "faults.resubmitted.times": "Resubmitted {count} times, last {time}",
  "faults.failedAgain": "failed again {time}",
  "faults.truncated": "The message is cut.",
  "faults.done": "The message is back on the queue of {consumer}.",
  "faults.refresh": "Read again",

  "problem.unreadable": "What came about this machine is not readable.",
  "problem.unreachable": "The server cannot be reached.",
  "problem.signedOut": "Your session has ended. Sign in again.",
  "problem.notAllowed": "This is for another role, or for another place than yours.",
  "problem.other": "{detail}",
};

/** @typedef {keyof typeof EN} Key */

/** @type {Record<Key, string>} */
const DE = {
  "app.name": "Andon",
  "units.now": "jetzt",
  "units.min": "min",
  "units.h": "h",
  "units.d": "T",

  "kind.error": "Störung",
  "kind.warning": "Warnung",
  "kind.silent": "stumm",
  "kind.unknown": "ohne Meldung",
  "kind.running": "läuft",
  "state.silent": "STUMM",
  "state.unknown": "OHNE MELDUNG",

  "person.erased": "gelöschte Person #{id}",

  "note.unseen": "ungesehen",
  "note.seen": "gesehen von {name}",
  "note.operator": "{name}",
  "note.operator.label": "zugewiesen an {name}",
  "note.escalated": "{name}",
  "note.escalated.label": "eskaliert an {name}",
  "note.risk": "gefährdet",
  "note.silent": "stumm",
  "note.pending": "wird gesendet",

  "age.trouble": "Störung vor {age}",
  "age.atLeast": "mindestens {age}",
  "age.range": "{least} – {most}",
  "since.exact": "seit {time}",
  "since.between": "seit einer Zeit zwischen {from} und {to}",
  "since.atLatest": "spätestens seit {to}",
  "since.silent": "keine Meldung seit {time}",

  "connection.starting": "verbindet",
  "connection.live": "live",
  "connection.polling": "alle 10 s",
  "connection.reconnecting": "verbindet neu",
  "connection.lost": "keine Verbindung",
  "connection.stuck": "steht still",
  "connection.asOf": "Stand {time}",
  "connection.banner": "Keine Verbindung. Das Bild ist vom Stand {time} und vielleicht veraltet.",
  "connection.banner.never": "Keine Verbindung. Es konnte noch nichts gelesen werden.",
  "connection.banner.stuck": "Die Seite kann nicht zeichnen, was sie bekam. Das Bild ist vielleicht veraltet; bitte neu laden.",
  "connection.banner.unreadable": "{count} der Maschinen sind nicht zu sehen: Was über sie kam, ist nicht lesbar.",

  "board.help": "Hilfe nötig",
  "board.help.none": "Niemand braucht Hilfe.",
  "board.help.count": "{count} insgesamt",
  "board.lines": "Linien",
  "board.noLine": "Ohne Linie",
  "board.empty": "Hier ist keine Maschine angemeldet.",
  "board.loading": "Die Tafel wird gelesen …",
  "board.title": "{place} · Andon",
  "board.announce": "{name}: {state}",
  "board.parts": "Zeigen",
  "board.all": "alles von {company}",

  "choose.title": "Welche Tafel?",
  "choose.company": "Firma",
  "choose.open": "Tafel öffnen",
  "choose.recent": "Zuletzt geöffnet",

  "nav.board": "Tafel",
  "nav.faults": "Fehler",
  "nav.back": "Zurück zur Tafel",
  "account.signOut": "Abmelden",
  "signIn.title": "Anmelden, um die Tafel zu sehen",
  "signIn.button": "Anmelden",
  "signIn.wall": "Wandbildschirm anmelden",
  "signIn.wall.explain": "Ein Bildschirm an der Wand bleibt monatelang angemeldet. Er zeigt die Tafel; ändern kann man an ihm nichts.",
  "signIn.ended": "Die Sitzung ist zu Ende. Nach der Anmeldung geht es weiter, wo Sie waren.",
  "signIn.state": "Diese Anmeldung hat nicht in diesem Fenster begonnen. Versuchen Sie es noch einmal.",
  "signIn.denied": "Die Anmeldung wurde abgelehnt.",
  "signIn.exchange": "Die Anmeldung dauerte zu lange oder wurde zweimal benutzt. Versuchen Sie es noch einmal.",
  "signIn.unreachable": "Die Anmeldung ist nicht erreichbar. Versuchen Sie es gleich noch einmal.",

  "machine.notFound": "Von {id} ist nichts bekannt.",
  "machine.noName": "nicht angemeldet",
  "machine.place": "Ort",
  "machine.id": "Kennung",
  "machine.seen": "Gesehen",
  "machine.seen.nobody": "noch von niemandem",
  "machine.seen.by": "von {name}",
  "machine.operator": "Zugewiesen an",
  "machine.escalated": "Eskaliert an",
  "machine.risk": "Gefährdet",
  "machine.risk.since": "{reason}, seit {time}",
  "machine.anomaly": "Ungewöhnlich",
  "machine.anomaly.text": "{kind} am {time}: {seen} {unit}, üblich sind {typical}, höchstens {atMost} (Zustand {state})",
  "machine.silent": "Stumm",
  "machine.lastReport": "Letzte Meldung",
  "machine.story": "Was geschah",
  "machine.story.none": "Aus den letzten 33 Tagen ist keine Störung bekannt.",
  "machine.others": "Zu keiner Störung auf dieser Seite",
  "machine.older": "Ältere zeigen",
  "machine.strip": "Störungen in den letzten 24 Stunden: {count}",
  "machine.audits": "Letzte Prüfungen",
  "machine.audits.none": "Noch keine Prüfungen.",
  "machine.audit.whole": "ganze Maschine",
  "machine.audit.by": "{auditor}, {time}, Fassung {revision}",
  "machine.versions": "Fassungen",
  "machine.versions.none": "Nicht angemeldet.",
  "machine.version": "Fassung {version}",
  "machine.version.deleted": "gelöscht",
  "machine.version.text": "{name}, {factory}, {line}",
  "machine.version.when": "{time}",

  "episode.open": "seit {from}",
  "episode.closed": "{from} bis {to}",
  "episode.lasted": "{age}",
  "episode.partial": "nur zum Teil gezeigt",
  "entry.state-reported": "meldete {state}",
  "entry.state-reported.detail": "meldete {state}: {detail}",
  "entry.operator-assigned": "zugewiesen an {operator}",
  "entry.operator-assigned.rule": "zugewiesen an {operator} nach der Regel „{rule}“",
  "entry.state-escalated": "eskaliert an {supervisor}",
  "entry.state-escalated.rule": "eskaliert an {supervisor} nach der Regel „{rule}“",
  "entry.state-acknowledged": "gesehen von {acknowledgedBy}",
  "entry.equipment-at-risk": "gefährdet: {reason}",
  "entry.equipment-silent": "stumm seit {since}",
  "entry.equipment-back": "meldet wieder",
  "entry.other": "{type}",

  "deed.acknowledge": "Gesehen",
  "deed.acknowledge.title": "Gesehen: {name}",
  "deed.acknowledge.explain": "Sie sagen, dass Sie es gesehen haben. Es wird nicht mehr eskaliert; zurücknehmen lässt es sich nicht.",
  "deed.acknowledge.do": "Ich habe es gesehen",
  "deed.acknowledge.done": "Vermerkt: Sie haben {name} gesehen.",
  "deed.acknowledge.faster": "{who} hatte es schon vor Ihnen gesehen.",
  "deed.assign": "Zuweisen",
  "deed.assign.title": "Zuweisen: {name}",
  "deed.assign.label": "Wem",
  "deed.assign.now": "Zugewiesen an {who}.",
  "deed.assign.nobody": "Noch niemandem zugewiesen.",
  "deed.assign.do": "Zuweisen",
  "deed.assign.over": "Statt {who} zuweisen",
  "deed.assign.done": "{name} ist {who} zugewiesen.",
  "deed.assign.faster": "Jemand war schneller: Jetzt ist es {who} zugewiesen. Ihre Eingabe ist noch da; noch einmal ersetzt {who}.",
  "deed.escalate": "Eskalieren",
  "deed.escalate.title": "Eskalieren: {name}",
  "deed.escalate.label": "An wen",
  "deed.escalate.now": "Eskaliert an {who}.",
  "deed.escalate.nobody": "Noch nicht eskaliert.",
  "deed.escalate.do": "Eskalieren",
  "deed.escalate.over": "Statt an {who} eskalieren",
  "deed.escalate.done": "{name} ist an {who} eskaliert.",
  "deed.escalate.faster": "Jemand war schneller: Jetzt ist es an {who} eskaliert. Ihre Eingabe ist noch da; noch einmal ersetzt {who}.",
  "deed.cancel": "Abbrechen",
  "deed.close": "Schließen",
  "deed.sending": "Wird gesendet …",
  "deed.reading": "Wer hat es? Wird gelesen …",
  "deed.someone": "Jemand",
  "deed.person.none": "Niemand heißt hier {who}. Wählen Sie jemanden aus, oder geben Sie eine Kennung ein.",
  "deed.person.several": "Mehrere heißen {who}. Wählen Sie aus, wer gemeint ist.",

  "faults.title": "Fehler",
  "faults.none": "Keine Fehler.",
  "faults.older": "Ältere zeigen",
  "faults.show": "Nachricht zeigen",
  "faults.message": "Nachricht",
  "faults.attempts": "Erneut eingereicht",
  "faults.resubmit": "Erneut einreichen",
  "faults.resubmitted": "Erneut eingereicht {time}",
  "faults.resubmitted.times": "{count}-mal erneut eingereicht, zuletzt {time}",
  "faults.failedAgain": "wieder fehlgeschlagen {time}",
  "faults.truncated": "Die Nachricht ist gekürzt.",
  "faults.done": "Die Nachricht ist wieder in der Warteschlange von {consumer}.",
  "faults.refresh": "Neu lesen",

  "problem.unreadable": "Was über diese Maschine kam, ist nicht lesbar.",
  "problem.unreachable": "Der Server ist nicht erreichbar.",
  "problem.signedOut": "Die Sitzung ist zu Ende. Melden Sie sich neu an.",
  "problem.notAllowed": "Das ist für eine andere Rolle, oder für einen anderen Ort als Ihren.",
  "problem.other": "{detail}",
};

export const LANGUAGES = { en: EN, de: DE };

/** @typedef {keyof typeof LANGUAGES} Language */

/**
 * The language of `?lang=`, else the first one of the browser's that the page speaks, else English.
 *
 * @param {string} search
 * @param {readonly string[]} preferred
 * @returns {Language}
 */
export function languageOf(search, preferred) {
  const asked = [new URLSearchParams(search).get("lang") ?? "", ...preferred].map((tag) => tag.slice(0, 2).toLowerCase());
  return /** @type {Language} */ (asked.find((tag) => tag in LANGUAGES) ?? "en");
}

/**
 * The locale in which dates are written: the browser's own of that language, with its country, if it is one.
 *
 * @param {Language} language
 * @param {readonly string[]} preferred
 * @returns {string}
 */
export const localeOf = (language, preferred) =>
  preferred.find((tag) => tag.startsWith(language) && isLocale(tag)) ?? language;

/** @param {string} tag such as `en-US@posix`, which a browser says where the system's locale is C */
function isLocale(tag) {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

/**
 * Put values into a text.
 *
 * @param {Language} language
 * @param {Key} key
 * @param {Record<string, string | number>} [values]
 */
export const textIn = (language, key, values = {}) =>
  LANGUAGES[language][key].replace(/\{(\w+)\}/g, (hole, name) => String(values[name] ?? hole));
