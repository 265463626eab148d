/** The texts of what the link of a message leads to. */

const EN = {
  title: "Help needed",
  needs: "{name}: {state}",
  since: "since {time}",
  to: "Sent to {person}. Whoever presses says it for them.",
  coming: "I'm on it",
  sure: "Do you go there now?",
  yes: "Yes, I go there now",
  no: "No",
  sending: "Sending …",
  done: "Noted: you are on it.",
  yours: "seen by you",
  others: "seen first by {person}, {time}",
  late: "Somebody was faster.",
  gone: "This link does not count any more, or never did. Sign in to see the board.",
  unreachable: "No connection. Press again.",
  board: "To the board",
};

/** @type {typeof EN} */
const DE = {
  title: "Hilfe gesucht",
  needs: "{name}: {state}",
  since: "seit {time}",
  to: "Gesendet an {person}. Wer drückt, sagt es für diese Person.",
  coming: "Ich kümmere mich",
  sure: "Gehen Sie jetzt hin?",
  yes: "Ja, ich gehe jetzt hin",
  no: "Nein",
  sending: "Wird gesendet …",
  done: "Notiert: Sie kümmern sich.",
  yours: "von Ihnen gesehen",
  others: "zuerst gesehen von {person}, {time}",
  late: "Jemand war schneller.",
  gone: "Dieser Link gilt nicht mehr, oder galt nie. Melden Sie sich an, um die Tafel zu sehen.",
  unreachable: "Keine Verbindung. Drücken Sie noch einmal.",
  board: "Zur Tafel",
};

export const TEXTS = { en: EN, de: DE };
