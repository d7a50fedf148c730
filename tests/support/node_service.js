// The service on Node's https: node node_service.js SERVER.PEM. Prints its port; at the end of its input, what it accepted.
"use strict";
const fs = require("fs");
const https = require("https");

const pem = fs.readFileSync(process.argv[2]);
const accepted = [];

const server = https.createServer({ key: pem, cert: pem }, (request, response) => {
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => {
    const [word, number] = JSON.parse(Buffer.concat(pieces)).msgdata[0].message.split("-");
    if (word === "drop") return response.socket.destroy();
    response.setHeader("Content-Type", "application/json");
    if (word === "refuse") return response.end('{"Status":"Failed","Message":"Invalid sender ID"}');
    if (word === "garble") return response.end('{"Status":"OK","Cost":"35","MsgFollow');
    accepted.push(number);
    response.end(JSON.stringify({ Status: "OK", Cost: "35", MsgFollowUpUniqueCode: number }));
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume();
process.stdin.on("end", () => {
  fs.writeSync(1, JSON.stringify(accepted) + "\n");
  process.exit();
});
